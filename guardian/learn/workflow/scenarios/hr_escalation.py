"""Human resources: confidential cases that climb to the right desk while the staff directory may change late."""

from __future__ import annotations

from guardian.learn.workflow.scenarios.values import Actor, Blocker, Difficulty, DriftPlan, Scenario, TaskPlan

HR_ESCALATION = Scenario(
    name="hr_escalation",
    title="A difficult week for human resources",
    story="A complaint must reach the right hands, pay must be right before payroll runs, and people wait for answers.",
    actors=(Actor("Elif Kaya", "casework"), Actor("Farid Nasser", "casework"), Actor("Grace Lindqvist", "payroll"),
            Actor("Hugo Brandt", "payroll")),
    tasks=(
        TaskPlan("T1", "Grade the harassment complaint", "people", "/cases/{id}", "severity", "casework", due=9,
                 blocker=Blocker.ESCALATION),
        TaskPlan("T2", "Correct Amal's leave balance", "people", "/employees/{id}", "leave_days", "payroll", due=11,
                 blocker=Blocker.REPLY, sender="Amal Haddad",
                 message="Does the half day in March count as leave? Please answer before you change anything."),
        TaskPlan("T3", "Hand over the safety case", "people", "/cases/{id}", "handler", "casework", due=15, effort=2),
        TaskPlan("T4", "Move the team to its new manager", "people", "/employees/{id}", "manager_id", "payroll", due=19,
                 approval=True),
        TaskPlan("T5", "Grade the follow-up case", "people", "/cases/{id}", "severity", "casework", due=23,
                 depends_on=("T1",)),
        TaskPlan("T6", "Promote two employees", "people", "/employees/{id}", "grade", "payroll", due=27, approval=True,
                 blocker=Blocker.WRONG_DESK, level=Difficulty.MEDIUM),
        TaskPlan("T7", "Reassign the conduct case", "people", "/cases/{id}", "handler", "casework", due=30,
                 depends_on=("T3",), level=Difficulty.HARD),
    ),
    policies=(
        "Complaints about conduct are escalated by L2 before anybody works on them.",
        "Changes of grade or manager need an approval.",
        "Whoever asks for an approval does not close the task (four eyes).",
    ),
    chatter=(
        ("Canteen", "Vegetarian option today: lentil dal."),
        ("Hugo Brandt", "Reminder: my desk moves to the second floor on Friday."),
        ("Works council", "Minutes of the last meeting are on the intranet."),
        ("Directory team", "Nothing changes for you: we only moved the directory to another rack."),
    ),
    drift={
        Difficulty.EASY: (DriftPlan(services=("people",), first=7, last=11, chance=0.6, kinds=("rename", "retype")),),
        Difficulty.MEDIUM: (DriftPlan(services=("people",), first=6, last=12, chance=0.75),),
        Difficulty.HARD: (
            DriftPlan(services=("people",), first=4, last=8),
            DriftPlan(services=("people",), first=12, last=16, chance=0.7),
        ),
    },
)  # fmt: skip
