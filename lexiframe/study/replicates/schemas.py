"""The tables of replicates: their keys and columns."""

from lexiframe.core.base import schemas

COMPONENTS = schemas.table_schema("components", "measure source", "variance raw? df? share?")
