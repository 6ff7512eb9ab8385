"""Which runs' messages nobody has looked for lasting facts in yet."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

# How often somebody began to (null: it is done, as for all runs of before), and when they did last.
UNREAD = """
ALTER TABLE run ADD COLUMN learn_tries smallint, ADD COLUMN learn_begun timestamptz;
ALTER TABLE run ALTER COLUMN learn_tries SET DEFAULT 0;
CREATE INDEX run_unread ON run (tenant, user_id, finished_at)
    WHERE learn_tries IS NOT NULL AND status IN ('succeeded', 'failed', 'dead');
"""


def upgrade() -> None:
    op.execute(UNREAD)


def downgrade() -> None:
    op.execute("DROP INDEX run_unread; ALTER TABLE run DROP COLUMN learn_tries, DROP COLUMN learn_begun")
