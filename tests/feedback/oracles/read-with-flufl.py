# Reads the paths of bounces from standard input, and writes what flufl.bounce makes of each as a line of JSON.
import email
import json
import sys

from flufl.bounce import all_failures

for line in sys.stdin:
    path = line.rstrip("\n")
    with open(path, "rb") as file:
        message = email.message_from_binary_file(file)
    try:
        temporary, permanent = all_failures(message)
    except Exception:
        temporary, permanent = [], []
    recipients = [
        {"address": address.decode("utf-8", "replace"), "action": action, "reason": None}
        for action, addresses in (("delayed", temporary), ("failed", permanent))
        for address in sorted(addresses)
    ]
    print(json.dumps({"path": path, "recipients": recipients}))
