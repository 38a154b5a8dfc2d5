"""The Lambda handler of `selected`."""

from mangum import Mangum

from functions.selected.app import create
from functions.settings import settings

handler = Mangum(create(settings), lifespan="off")
