"""How a run came to its answer, as a snapshot shows it: routing, tools and model calls."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE run ADD COLUMN activity jsonb")


def downgrade() -> None:
    op.execute("ALTER TABLE run DROP COLUMN activity")
