"""Supply: purchase orders and shipments; either system may change, both, or none."""

from __future__ import annotations

from guardian.learn.workflow.scenarios.values import Actor, Blocker, Difficulty, DriftPlan, Scenario, TaskPlan

SUPPLY_CHAIN = Scenario(
    name="supply_chain",
    title="A container is late",
    story="Shipments are re-planned and declared, orders are raised before suppliers close their books.",
    actors=(Actor("Quinn Adeyemi", "buying"), Actor("Rosa Conti", "buying"), Actor("Sven Dahl", "shipping"),
            Actor("Tara Singh", "shipping")),
    tasks=(
        TaskPlan("T1", "Correct the arrival of the late container", "logistics", "/shipments/{id}", "arrival_date",
                 "shipping", due=8),
        TaskPlan("T2", "Raise the emergency order", "procurement", "/purchase-orders/{id}", "quantity", "buying",
                 due=12, approval=True),
        TaskPlan("T3", "Declare the customs value", "logistics", "/shipments/{id}", "customs_value", "shipping", due=16,
                 blocker=Blocker.REPLY, sender="Customs broker",
                 message="Does the declared value include freight? The form stays open until you tell me."),
        TaskPlan("T4", "Agree the new price with Orbit", "procurement", "/purchase-orders/{id}", "unit_price", "buying",
                 due=18, blocker=Blocker.ESCALATION),
        TaskPlan("T5", "Move the order's last useful day", "procurement", "/purchase-orders/{id}", "needed_by",
                 "buying", due=22, depends_on=("T1",)),
        TaskPlan("T6", "Change the carrier of the samples", "logistics", "/shipments/{id}", "carrier", "shipping",
                 due=26, blocker=Blocker.WRONG_DESK, level=Difficulty.MEDIUM),
        TaskPlan("T7", "Weigh the returned pallets", "logistics", "/shipments/{id}", "weight_kg", "shipping", due=30,
                 effort=2, depends_on=("T3",), level=Difficulty.HARD),
    ),
    policies=(
        "Emergency orders need an approval.",
        "Prices outside the frame contract are escalated by L2.",
        "Whoever asks for an approval does not close the task (four eyes).",
    ),
    chatter=(
        ("Port authority", "Berth 4 is closed for painting next month."),
        ("Rosa Conti", "Does anybody have the number of the pallet supplier?"),
        ("Weather desk", "Light winds in the channel."),
        ("Carrier portal", "Log in to see your loyalty points."),
    ),
    drift={
        Difficulty.EASY: (DriftPlan(services=("logistics", "procurement"), first=6, last=12, chance=0.5, kinds=("rename", "remove")),),
        Difficulty.MEDIUM: (
            DriftPlan(services=("logistics",), first=4, last=12, chance=0.5),
            DriftPlan(services=("procurement",), first=4, last=12, chance=0.5),
        ),
        Difficulty.HARD: (
            DriftPlan(services=("logistics",), first=3, last=12, chance=0.8),
            DriftPlan(services=("procurement",), first=3, last=12, chance=0.8),
        ),
    },
)  # fmt: skip
