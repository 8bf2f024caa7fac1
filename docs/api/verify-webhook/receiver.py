import base64
import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_AGE_SECONDS = 300
MAX_BODY_BYTES = 1_000_000
key = base64.b64decode(os.environ["POSTHORN_WEBHOOK_SECRET"].removeprefix("whsec_"))


def verify(headers, body):
    """Whether Posthorn sent this body, which must be exactly as received."""
    timestamp = headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > MAX_AGE_SECONDS:
        return False
    signed = f"{headers.get('webhook-id')}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(each.encode(), expected) for each in signatures)


class Receiver(BaseHTTPRequestHandler):
    # Seconds after which a connection that sends nothing is closed.
    timeout = 15

    def do_POST(self):
        length = self.headers.get("content-length", "0")
        is_readable = re.fullmatch("[0-9]{1,7}", length) and int(length) <= MAX_BODY_BYTES
        body = self.rfile.read(int(length)) if is_readable else b""
        is_genuine = is_readable and verify(self.headers, body)
        if is_genuine:
            event = json.loads(body)
            print(event["type"], event["data"], flush=True)
        self.send_response(204 if is_genuine else 400)
        self.end_headers()


ThreadingHTTPServer(("", 3000), Receiver).serve_forever()
