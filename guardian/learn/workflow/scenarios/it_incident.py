"""Operations: an outage, its repair and its paperwork; the tools may change twice while the fire burns."""

from __future__ import annotations

from guardian.learn.workflow.scenarios.values import Actor, Blocker, Difficulty, DriftPlan, Scenario, TaskPlan

IT_INCIDENT = Scenario(
    name="it_incident",
    title="Checkout is down",
    story="An outage must be graded, led, rolled back and written up, while other incidents keep coming.",
    actors=(Actor("Iris Novak", "operations"), Actor("Jonas Weber", "operations"), Actor("Keiko Mori", "release"),
            Actor("Liam Byrne", "release")),
    tasks=(
        TaskPlan("T1", "Grade the checkout outage", "incidents", "/incidents/{id}", "impact_level", "operations",
                 due=7),
        TaskPlan("T2", "Roll checkout back", "deploys", "/rollbacks/{id}", "target_version", "release", due=13,
                 approval=True, depends_on=("T1",)),
        TaskPlan("T3", "Name a commander for the search incident", "incidents", "/incidents/{id}", "commander",
                 "operations", due=15, blocker=Blocker.ESCALATION),
        TaskPlan("T4", "Record the error rate of payments", "incidents", "/incidents/{id}", "error_rate", "operations",
                 due=18, effort=2, blocker=Blocker.REPLY, sender="Payments on-call",
                 message="Over which minutes do you want the error rate? I cannot send it without knowing."),
        TaskPlan("T5", "Score the risk of the next rollback", "deploys", "/rollbacks/{id}", "risk_score", "release",
                 due=22),
        TaskPlan("T6", "Move the rollback window", "deploys", "/rollbacks/{id}", "window_start", "release", due=26,
                 blocker=Blocker.WRONG_DESK, level=Difficulty.MEDIUM),
        TaskPlan("T7", "Resolve the checkout outage", "incidents", "/incidents/{id}", "impact_level", "operations",
                 due=31, depends_on=("T2",), approval=True, level=Difficulty.HARD),
    ),
    policies=(
        "Rollbacks in production need an approval.",
        "Incidents without a commander are escalated by L2.",
        "Whoever asks for an approval does not close the task (four eyes).",
    ),
    chatter=(
        ("Status bot", "All green in region ap-south."),
        ("Liam Byrne", "Is the staging VPN slow for anybody else?"),
        ("Vendor", "Our webinar on observability starts in an hour."),
        ("Build bot", "Nightly build 4411 passed."),
    ),
    drift={
        Difficulty.EASY: (DriftPlan(services=("incidents",), first=5, last=9, chance=0.7, kinds=("rename",)),),
        Difficulty.MEDIUM: (
            DriftPlan(services=("incidents",), first=4, last=8, chance=0.8),
            DriftPlan(services=("deploys",), first=9, last=14, chance=0.5),
        ),
        Difficulty.HARD: (
            DriftPlan(services=("incidents",), first=3, last=7),
            DriftPlan(services=("deploys",), first=8, last=13),
        ),
    },
)  # fmt: skip
