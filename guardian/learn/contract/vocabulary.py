"""The words that generated companies are made of: industries, their resources and the fields those have.

A field is written ``name type flags``: ``!`` is required, ``?`` may be null. Types are JSON Schema in short: ``uuid``,
``text``, ``email``, ``uri``, ``date``, ``datetime``, ``int``, ``number``, ``bool``, ``money`` (a shared component),
``address`` (another), ``tags`` (an array of strings), ``labels`` (a map), ``one|of|these`` (an enum), ``CODE/example``
(a pattern), ``{...}`` and ``[...]`` for the components named inside. Held-out industries are used by evaluation alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource: its plural is its path, ``parts`` are components that only it uses."""

    name: str
    plural: str
    fields: tuple[str, ...]
    action: str
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ledger:
    """The names on an industry's priced document, whose fields depend on each other."""

    name: str
    lines: str
    quantity: str
    price: str
    amount: str
    count: str
    subtotal: str
    rate: str
    tax: str
    discount: str
    total: str
    opened: str
    due: str
    closed: str
    tier: str
    tiers: tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Industry:
    """A domain: services are named after resources' plurals or after these extra consumers."""

    name: str
    resources: tuple[Resource, ...]
    ledger: Ledger
    apps: tuple[str, ...]


def _resource(text: str, action: str, *fields: str, **parts: str) -> Resource:
    name, plural = text.split("/")
    return Resource(name, plural, fields, action, {key: tuple(value.split("; ")) for key, value in parts.items()})


SHOP = Industry(
    "shop",
    (
        _resource(
            "order/orders", "cancel",
            "id uuid!", "status draft|placed|paid|shipped!", "customer_email email!", "placed_at datetime!",
            "total money!", "shipping_address address!", "lines [OrderLine]!", "note text?", "gift bool",
            "coupon CODE/SAVE-1234", "labels labels",
            OrderLine="sku CODE/AB-1234!; quantity int!; unit_price money!; options tags",
        ),
        _resource(
            "customer/customers", "verify",
            "id uuid!", "display_name text!", "email email!", "phone text?", "tier basic|silver|gold!",
            "address address!", "born_on date?", "contacts [Contact]!", "newsletter bool!", "homepage uri",
            Contact="channel email|phone|post!; value text!; verified bool!",
        ),
        _resource(
            "product/products", "discontinue",
            "id uuid!", "sku CODE/AB-1234!", "title text!", "price money!", "weight_grams int!",
            "availability in_stock|backorder|gone!", "dimensions {Dimensions}!", "images [Image]!", "rating number",
            "released_on date", "keywords tags",
            Dimensions="width_mm int!; height_mm int!; depth_mm int!", Image="url uri!; alt text; width int!",
        ),
        _resource(
            "refund/refunds", "approve",
            "id uuid!", "order_id uuid!", "amount money!", "reason damaged|late|unwanted|other!",
            "requested_at datetime!", "approved_by text?", "payout {Payout}!", "items [RefundItem]!", "comment text",
            Payout="method card|transfer|voucher!; reference CODE/RF-0001!; settled bool!",
            RefundItem="sku CODE/AB-1234!; quantity int!; restock bool!",
        ),
    ),
    Ledger("invoice", "lines", "quantity", "unit_price", "amount", "line_count", "subtotal", "tax_rate", "tax",
           "discount", "total", "issued_on", "due_on", "paid_on", "customer_tier", ("basic", "silver", "gold")),
    ("storefront", "mobile-app", "price-watch", "support-console"),
)  # fmt: skip

CLINIC = Industry(
    "clinic",
    (
        _resource(
            "patient/patients", "merge",
            "id uuid!", "family_name text!", "given_name text!", "born_on date!", "sex female|male|other!",
            "email email", "address address!", "insurance {Insurance}!", "allergies [Allergy]!", "deceased bool!",
            "languages tags",
            Insurance="payer text!; policy_number CODE/PN-0001!; valid_until date!",
            Allergy="substance text!; severity mild|moderate|severe!; noted_on date",
        ),
        _resource(
            "appointment/appointments", "reschedule",
            "id uuid!", "patient_id uuid!", "starts_at datetime!", "duration_minutes int!",
            "status booked|arrived|done|missed!", "room {Room}!", "staff [Attendant]!", "reminder_email email?",
            "notes text", "fee money!", "remote bool!",
            Room="building text!; number CODE/R-101!; accessible bool!", Attendant="name text!; role nurse|doctor|aide!",
        ),
        _resource(
            "prescription/prescriptions", "renew",
            "id uuid!", "patient_id uuid!", "issued_at datetime!", "drug {Drug}!", "doses [Dose]!", "repeats int!",
            "state active|paused|ended!", "pharmacy_url uri", "comment text?", "price money!", "substitutable bool!",
            Drug="code CODE/D-1234!; title text!; strength_mg number!", Dose="at text!; amount number!; with_food bool!",
        ),
        _resource(
            "lab_report/lab-reports", "release",
            "id uuid!", "patient_id uuid!", "collected_at datetime!", "status pending|final|amended!",
            "specimen {Specimen}!", "results [Result]!", "lab_email email!", "summary text?", "urgent bool!", "cost money",
            Specimen="kind blood|urine|swab!; barcode CODE/SP-0001!; volume_ml number",
            Result="analyte text!; value number!; unit text!; flag low|normal|high!",
        ),
    ),
    Ledger("statement", "services", "units", "unit_fee", "charge", "service_count", "charges", "levy_rate", "levy",
           "waiver", "payable", "billed_on", "payable_by", "settled_on", "cover", ("none", "standard", "full")),
    ("patient-portal", "ward-board", "claims-desk", "research-export"),
)  # fmt: skip

FLEET = Industry(
    "fleet",
    (
        _resource(
            "shipment/shipments", "dispatch",
            "id uuid!", "tracking_code CODE/TR-0001!", "status created|moving|delivered|lost!", "sender address!",
            "recipient address!", "parcels [Parcel]!", "promised_on date!", "delivered_at datetime?", "insured_value money",
            "contact_email email!", "fragile bool!",
            Parcel="barcode CODE/PC-0001!; weight_grams int!; contents text!",
        ),
        _resource(
            "vehicle/vehicles", "retire",
            "id uuid!", "plate CODE/AB-1234!", "kind van|truck|bike!", "capacity_kg int!", "depot {Depot}!",
            "inspections [Inspection]!", "mileage_km number!", "electric bool!", "purchased_on date!", "manual uri",
            "remarks text?",
            Depot="code CODE/DP-0001!; city text!; gates int", Inspection="on date!; passed bool!; inspector text!",
        ),
        _resource(
            "driver/drivers", "suspend",
            "id uuid!", "name text!", "email email!", "licence {Licence}!", "shifts [Shift]!", "home_address address",
            "state active|resting|away!", "hired_on date!", "rating number?", "hourly_wage money!", "languages tags",
            Licence="number CODE/LC-0001!; category B|C|CE!; valid_until date!",
            Shift="starts_at datetime!; hours number!; night bool!",
        ),
        _resource(
            "route/routes", "optimise",
            "id uuid!", "title text!", "planned_for date!", "stops [Stop]!", "origin {Hub}!", "distance_km number!",
            "priority low|normal|express!", "map_url uri", "locked bool!", "budget money!", "comment text?",
            Stop="sequence int!; address address!; window morning|noon|evening!", Hub="code CODE/HB-0001!; name text!",
        ),
    ),
    Ledger("freight_bill", "legs", "kilometres", "rate_per_km", "fare", "leg_count", "net", "toll_rate", "toll",
           "rebate", "gross", "shipped_on", "due_on", "collected_on", "contract", ("spot", "regular", "partner")),
    ("tracking-page", "dispatch-desk", "driver-app", "carbon-report"),
)  # fmt: skip

PEOPLE = Industry(
    "people",
    (
        _resource(
            "employee/employees", "offboard",
            "id uuid!", "full_name text!", "work_email email!", "started_on date!", "ends_on date?",
            "contract permanent|temporary|intern!", "salary money!", "office {Office}!", "skills [Skill]!", "manager_id uuid",
            "remote bool!",
            Office="code CODE/OF-0001!; city text!; floor int", Skill="title text!; level novice|solid|expert!; years number",
        ),
        _resource(
            "vacancy/vacancies", "publish",
            "id uuid!", "title text!", "state open|paused|filled!", "opened_at datetime!", "team {Team}!", "rounds [Round]!",
            "salary_from money!", "salary_to money", "advert uri!", "headcount int!", "summary text?",
            Team="name text!; lead_email email!; size int", Round="kind phone|onsite|task!; minutes int!; panel tags",
        ),
        _resource(
            "leave/leaves", "approve",
            "id uuid!", "employee_id uuid!", "kind holiday|sick|parental!", "from_date date!", "to_date date!", "days number!",
            "decision {Decision}!", "cover [Cover]!", "comment text?", "paid bool!", "requested_at datetime!",
            Decision="by text!; outcome granted|refused|waiting!; at datetime", Cover="employee_id uuid!; share number!",
        ),
        _resource(
            "payslip/payslips", "correct",
            "id uuid!", "employee_id uuid!", "period CODE/2026-01!", "net money!", "gross money!", "items [PayItem]!",
            "bank {Bank}!", "status draft|paid|void!", "paid_on date?", "contact_email email!", "final bool!",
            PayItem="title text!; amount money!; taxable bool!", Bank="iban CODE/NO12345678!; holder text!",
        ),
    ),
    Ledger("expense_claim", "receipts", "count", "cost_each", "cost", "receipt_count", "spent", "vat_rate", "vat",
           "advance", "owed", "incurred_on", "submit_by", "reimbursed_on", "grade", ("junior", "senior", "director")),
    ("self-service", "org-chart", "payroll-run", "hiring-board"),
)  # fmt: skip

GRID = Industry(
    "grid",
    (
        _resource(
            "meter/meters", "replace",
            "id uuid!", "serial CODE/MT-0001!", "kind electricity|gas|heat!", "installed_on date!", "site address!",
            "registers [Register]!", "firmware {Firmware}!", "online bool!", "last_seen_at datetime?", "owner_email email!",
            Register="code CODE/RG-0001!; unit kwh|m3|mj!; multiplier number!", Firmware="version text!; url uri; size int!",
        ),
        _resource(
            "contract/contracts", "terminate",
            "id uuid!", "customer_email email!", "tariff {Tariff}!", "starts_on date!", "ends_on date?",
            "state draft|active|ended!", "deposit money!", "meters [MeterRef]!", "paperless bool!", "terms uri!",
            Tariff="code CODE/TF-0001!; title text!; price_per_unit number!", MeterRef="serial CODE/MT-0001!; share number!",
        ),
        _resource(
            "outage/outages", "resolve",
            "id uuid!", "started_at datetime!", "cause storm|works|fault|unknown!", "severity int!", "area {Area}!",
            "updates [Update]!", "resolved_at datetime?", "hotline text!", "compensation money", "public bool!",
            Area="code CODE/AR-0001!; title text!; households int!", Update="at datetime!; message text!; author text",
        ),
        _resource(
            "reading/readings", "correct",
            "id uuid!", "meter_id uuid!", "taken_at datetime!", "source remote|manual|estimate!", "values [Value]!",
            "device {Device}!", "comment text?", "cost money!", "valid bool!", "photo uri",
            Value="register CODE/RG-0001!; amount number!; estimated bool!", Device="model text!; battery number!",
        ),
    ),
    Ledger("supply_bill", "periods", "kwh", "price_per_kwh", "cost", "period_count", "energy", "duty_rate", "duty",
           "bonus", "to_pay", "read_on", "due_on", "paid_on", "plan", ("basic", "green", "loyal")),
    ("customer-portal", "grid-map", "billing-run", "field-app"),
)  # fmt: skip

MUSEUM = Industry(
    "museum",
    (
        _resource(
            "artwork/artworks", "loan",
            "id uuid!", "title text!", "accession CODE/AC-0001!", "medium oil|bronze|paper|textile!", "created_on date?",
            "insured_for money!", "frame {Frame}!", "makers [Maker]!", "on_display bool!", "record uri!", "story text",
            Frame="width_mm int!; height_mm int!; glazed bool!", Maker="name text!; role artist|workshop|copyist!",
        ),
        _resource(
            "exhibition/exhibitions", "announce",
            "id uuid!", "title text!", "opens_on date!", "closes_on date!", "state planned|open|closed!", "hall {Hall}!",
            "rooms [Section]!", "ticket_price money!", "curator_email email!", "teaser text?", "sold_out bool!",
            Hall="code CODE/HL-0001!; floor int!; seats int", Section="title text!; works int!; lighting dim|normal|none!",
        ),
        _resource(
            "visit/visits", "check-in",
            "id uuid!", "booked_at datetime!", "visitor_email email!", "guests int!", "language en|de|no|ja!",
            "slot {Slot}!", "tickets [Ticket]!", "paid money!", "comment text?", "school bool!",
            Slot="starts_at datetime!; minutes int!; guide text", Ticket="code CODE/TK-0001!; kind adult|child|free!",
        ),
        _resource(
            "donation/donations", "acknowledge",
            "id uuid!", "donor_name text!", "donor_email email!", "given_on date!", "amount money!",
            "purpose general|purchase|repair!", "address address!", "receipts [Receipt]!", "anonymous bool!", "message text?",
            Receipt="number CODE/RC-0001!; sent_on date!; copy_url uri",
        ),
    ),
    Ledger("quote", "pieces", "copies", "fee_each", "fee", "piece_count", "fees", "insurance_rate", "insurance",
           "grant", "sum_due", "offered_on", "valid_until", "accepted_on", "lender", ("private", "public", "partner")),
    ("visitor-app", "ticket-desk", "press-feed", "archive-search"),
)  # fmt: skip

AIRFIELD = Industry(
    "airfield",
    (
        _resource(
            "flight/flights", "delay",
            "id uuid!", "number CODE/AB-1234!", "departs_at datetime!", "arrives_at datetime!", "status planned|boarding|gone!",
            "aircraft {Aircraft}!", "crew [CrewMember]!", "gate text?", "fare_from money!", "charter bool!", "map uri",
            Aircraft="registration CODE/LN-ABC!; seats int!; model text!", CrewMember="name text!; duty pilot|cabin!",
        ),
        _resource(
            "booking/bookings", "rebook",
            "id uuid!", "locator CODE/BK-0001!", "booked_at datetime!", "contact_email email!", "passengers [Passenger]!",
            "payment {Payment}!", "price money!", "state held|ticketed|void!", "remark text?", "group bool!",
            Passenger="family_name text!; born_on date!; seat text; meal none|vegan|kosher!",
            Payment="method card|invoice!; reference CODE/PY-0001!; captured bool!",
        ),
        _resource(
            "stand/stands", "close",
            "id uuid!", "code CODE/ST-0001!", "size small|medium|large!", "bridge bool!", "position {Position}!",
            "slots [StandSlot]!", "surface text!", "inspected_on date!", "fee money!", "note text?",
            Position="latitude number!; longitude number!", StandSlot="from datetime!; to datetime!; flight_id uuid!",
        ),
        _resource(
            "bag/bags", "trace",
            "id uuid!", "tag CODE/BG-0001!", "weight_kg number!", "state checked|loaded|missing!", "owner_email email!",
            "scans [Scan]!", "claim {Claim}!", "value money", "priority bool!", "photo uri", "remark text?",
            Scan="at datetime!; belt text!; ok bool!", Claim="reference CODE/CL-0001!; opened_on date!",
        ),
    ),
    Ledger("handling_note", "tasks", "hours", "hourly_rate", "sum", "task_count", "net_sum", "surcharge_rate",
           "surcharge", "credit", "final_sum", "served_on", "pay_by", "cleared_on", "carrier", ("guest", "member", "home")),
    ("departure-board", "crew-app", "bag-kiosk", "noise-report"),
)  # fmt: skip

FARM = Industry(
    "farm",
    (
        _resource(
            "field/fields", "sow",
            "id uuid!", "title text!", "hectares number!", "crop wheat|oats|rape|fallow!", "soil {Soil}!", "seasons [Season]!",
            "leased bool!", "lease_cost money", "surveyed_on date!", "map uri", "comment text?",
            Soil="ph number!; kind clay|loam|sand!; tested_on date", Season="year int!; yield_tonnes number!; organic bool!",
        ),
        _resource(
            "animal/animals", "sell",
            "id uuid!", "ear_tag CODE/ET-0001!", "species cow|goat|sheep!", "born_on date!", "barn {Barn}!",
            "treatments [Treatment]!", "weight_kg number!", "vet_email email!", "price money!", "pregnant bool!", "note text?",
            Barn="code CODE/BN-0001!; places int!", Treatment="on date!; medicine text!; dose_ml number!; by text",
        ),
        _resource(
            "harvest/harvests", "grade",
            "id uuid!", "field_id uuid!", "started_at datetime!", "finished_at datetime?", "quality A|B|C!", "loads [Load]!",
            "buyer {Buyer}!", "price_per_tonne money!", "wet bool!", "contact_email email!", "remark text",
            Load="ticket CODE/LD-0001!; tonnes number!; moisture number", Buyer="name text!; country text!; site uri",
        ),
    ),
    Ledger("delivery_note", "batches", "tonnes", "price_per_tonne", "value", "batch_count", "goods_value", "levy_rate",
           "levy", "bonus", "payout", "weighed_on", "pay_by", "paid_on", "partner", ("new", "steady", "coop")),
    ("barn-app", "grain-board", "vet-portal", "subsidy-report"),
)  # fmt: skip

TRAINING: tuple[Industry, ...] = (SHOP, CLINIC, FLEET, PEOPLE, GRID)
"""What training draws from."""
HELD_OUT: tuple[Industry, ...] = (MUSEUM, AIRFIELD, FARM)
"""What evaluation draws from: no word of these is seen in training beyond what all industries share."""
SPLITS: dict[str, tuple[Industry, ...]] = {"train": TRAINING, "heldout": HELD_OUT}
