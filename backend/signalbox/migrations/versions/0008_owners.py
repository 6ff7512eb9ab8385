"""What is asked for by owner is found by owner: exports page through it, and erasing looks for what is under way."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

OWNERS = """
CREATE INDEX message_owner ON message (tenant, user_id, position);
CREATE INDEX run_owner ON run (tenant, user_id, position);
CREATE INDEX classification_owner ON classification (tenant, user_id, run_id);
CREATE INDEX suggestion_owner ON suggestion (tenant, user_id, suggestion_id);
CREATE INDEX approval_owner ON approval (tenant, user_id, approval_id);
CREATE INDEX conversation_summary_owner ON conversation_summary (tenant, user_id);
"""


def upgrade() -> None:
    op.execute(OWNERS)


def downgrade() -> None:
    op.execute(
        "DROP INDEX message_owner, run_owner, classification_owner, suggestion_owner, approval_owner, "
        "conversation_summary_owner"
    )
