"""In which order to learn: what is asked for most first, but nothing before what it builds on. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

# What can hardly be learned without the other. Within the skill vocabulary; either side may be missing in a market.
_BUILDS_ON: Final[Mapping[str, tuple[str, ...]]] = {
    "Apache Spark": ("Python", "SQL"),
    "Apache Airflow": ("Python",),
    "Databricks": ("SQL", "Apache Spark"),
    "dbt": ("SQL",),
    "Snowflake": ("SQL",),
    "BigQuery": ("SQL",),
    "Redshift": ("SQL",),
    "PostgreSQL": ("SQL",),
    "MySQL": ("SQL",),
    "SQL Server": ("SQL",),
    "Oracle Database": ("SQL",),
    "PL/SQL": ("SQL",),
    "Hive": ("SQL", "Hadoop"),
    "Data Warehousing": ("SQL",),
    "ETL": ("SQL",),
    "Data Engineering": ("SQL", "Python"),
    "Looker": ("SQL",),
    "pandas": ("Python",),
    "NumPy": ("Python",),
    "scikit-learn": ("Python", "Statistics"),
    "PyTorch": ("Python", "Machine Learning"),
    "TensorFlow": ("Python", "Machine Learning"),
    "Machine Learning": ("Python", "Statistics"),
    "Deep Learning": ("Machine Learning",),
    "Natural Language Processing": ("Machine Learning",),
    "Computer Vision": ("Machine Learning",),
    "Recommender Systems": ("Machine Learning",),
    "Reinforcement Learning": ("Machine Learning",),
    "Large Language Models": ("Machine Learning",),
    "MLOps": ("Machine Learning", "Docker"),
    "Time Series Forecasting": ("Statistics",),
    "A/B Testing": ("Statistics",),
    "Data Science": ("Statistics", "Python"),
    "Django": ("Python",),
    "Flask": ("Python",),
    "FastAPI": ("Python", "REST APIs"),
    "SQLAlchemy": ("Python", "SQL"),
    "Celery": ("Python",),
    "Spring Boot": ("Java",),
    "Hibernate": ("Java", "SQL"),
    "Ruby on Rails": ("Ruby",),
    "Laravel": ("PHP",),
    "Symfony": ("PHP",),
    "TypeScript": ("JavaScript",),
    "Node.js": ("JavaScript",),
    "Express": ("Node.js",),
    "NestJS": ("Node.js", "TypeScript"),
    "React": ("JavaScript", "HTML", "CSS"),
    "Vue.js": ("JavaScript", "HTML", "CSS"),
    "Angular": ("TypeScript", "HTML", "CSS"),
    "Svelte": ("JavaScript",),
    "Next.js": ("React",),
    "React Native": ("React",),
    "Redux": ("React",),
    "JavaScript": ("HTML",),
    "CSS": ("HTML",),
    "Sass": ("CSS",),
    "Tailwind CSS": ("CSS",),
    "SwiftUI": ("Swift",),
    "Flutter": ("Dart",),
    ".NET": ("C#",),
    "Docker": ("Linux",),
    "Kubernetes": ("Docker",),
    "Helm": ("Kubernetes",),
    "CI/CD": ("Git",),
    "Infrastructure as Code": ("Terraform",),
    "Grafana": ("Prometheus",),
    "Microservices": ("REST APIs",),
    "Distributed Systems": ("Networking",),
    "Routing and Switching": ("Networking",),
    "Network Security": ("Networking",),
    "Penetration Testing": ("Networking", "Linux"),
    "SIEM": ("Networking",),
    "Financial Modelling": ("Excel", "Financial Analysis"),
    "Management Accounts": ("Bookkeeping",),
    "Bank Reconciliation": ("Bookkeeping",),
    "Financial Reporting": ("Accounting",),
    "Advanced Life Support": ("CPR",),
    "Motion Graphics": ("Animation",),
    "Design Systems": ("UI Design",),
    "Prototyping": ("Figma",),
}


def builds_on(skill: str) -> tuple[str, ...]:
    return _BUILDS_ON.get(skill, ())


def learning_order(wanted: Sequence[str], most: int) -> tuple[str, ...]:
    """``wanted`` (the most asked for first), each behind those of ``wanted`` that it builds on; the first ``most``.

    A foundation moves up to just before the first skill that needs it, so a skill in demand is not pushed back
    further than it must be.
    """
    order: list[str] = []
    for skill in wanted:
        _place(skill, wanted, order, frozenset())
    return tuple(order[:most])


def _place(skill: str, wanted: Sequence[str], order: list[str], above: frozenset[str]) -> None:
    if skill in order or skill in above:
        return
    for foundation in builds_on(skill):
        if foundation in wanted:
            _place(foundation, wanted, order, above | {skill})
    order.append(skill)
