"""Definitions of external MCP tools, as they were seen and decided on."""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

TOOLS = """
CREATE TABLE mcp_tool (
    server text NOT NULL,
    tool text NOT NULL,
    digest text NOT NULL,
    whose text NOT NULL DEFAULT '',
    definition jsonb NOT NULL,
    status text NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'superseded')),
    approved_by text NOT NULL DEFAULT '',
    seen_at timestamptz NOT NULL DEFAULT now(),
    decided_at timestamptz,
    PRIMARY KEY (server, tool, digest, whose)
);
CREATE UNIQUE INDEX mcp_tool_approved ON mcp_tool (server, tool, whose) WHERE status = 'approved';
"""


def upgrade() -> None:
    op.execute(TOOLS)


def downgrade() -> None:
    op.execute("DROP TABLE mcp_tool")
