"""The Lambda handler of `query`."""

from mangum import Mangum

from functions.query.app import create
from functions.settings import settings

handler = Mangum(create(settings), lifespan="off")
