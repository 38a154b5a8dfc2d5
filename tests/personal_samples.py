"""Personal data and secrets of every kind that is masked. None of it is anybody's."""

from __future__ import annotations

PERSONAL = [
    ("e-mail", "ada.lovelace@example.org"),
    ("e-mail", "a+b_c@sub.example.co.uk"),
    ("e-mail", "jürgen@müller.de"),
    ("phone", "+49 170 1234567"),
    ("phone", "+491701234567"),
    ("phone", "+1 (555) 123-4567"),
    ("phone", "+44 20 7946 0958"),
    ("phone", "+33.6.12.34.56.78"),
    ("phone", "0049 170 1234567"),
    ("phone", "(555) 123-4567"),
    ("phone", "555-123-4567"),
    ("phone", "555.123.4567"),
    ("phone", "0170 1234567"),
    ("phone", "030/1234567"),
    ("phone", "020 7946 0958"),
    ("phone", "06 12 34 56 78"),
    ("phone", "01701234567"),
    ("card", "4111 1111 1111 1111"),
    ("card", "4111-1111-1111-1111"),
    ("card", "5500005555555559"),
    ("card", "3782 822463 10005"),
    ("card", "6011000990139424"),
    ("iban", "DE89 3704 0044 0532 0130 00"),
    ("iban", "GB82WEST12345698765432"),
    ("iban", "NO93 8601 1117 947"),
    ("iban", "FR14 2004 1010 0505 0001 3M02 606"),
    ("key", "sk-proj-a1B2c3D4e5F6g7H8i9J0k1L2"),
    ("key", "sk_live_4eC39HqLyjWDarjtT1"),
    ("key", "AKIAIOSFODNN7EXAMPLE"),
    ("key", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
    ("key", "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuv"),
    ("key", "xoxb-123456789012-abcdefghij"),
    ("key", "AIzaSyA1234567890abcdefghijklmnopqrstuv"),
    ("key", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9"),
    (
        "key",
        "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY\n"
        "-----END EC PRIVATE KEY-----",
    ),
]
"""(kind, value)"""
