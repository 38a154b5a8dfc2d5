"""The Lambda handler of `analytics`."""

from mangum import Mangum

from functions.analytics.app import create
from functions.settings import settings

handler = Mangum(create(settings), lifespan="off")
"""What the runtime calls with each event of the HTTP API."""
