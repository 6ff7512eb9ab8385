"""Alembic's entry: one connection through psycopg 3, one advisory lock around the upgrade."""

import psycopg
from alembic import context
from sqlalchemy import create_engine, pool, text

# Any fixed number: processes that start together queue here instead of racing for the same CREATE TABLE.
LOCK_KEY = 7_310_212_020


def main() -> None:
    dsn: str = context.config.attributes["dsn"]
    engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(dsn), poolclass=pool.NullPool)
    with engine.connect() as connection:
        context.configure(connection=connection, transaction_per_migration=False)
        with context.begin_transaction():
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK_KEY})
            context.run_migrations()


main()
