/** For Python 3.9 and newer. */
export const pythonVerification = `import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

MAX_AGE_SECONDS = 300
key = base64.b64decode(os.environ["POSTHORN_WEBHOOK_SECRET"].removeprefix("whsec_"))


def verify(headers, body):
    """Whether Posthorn sent this body, which must be exactly as received."""
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > MAX_AGE_SECONDS:
        return False
    signed = f"{headers.get('webhook-id')}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(each.encode(), expected) for each in signatures)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        is_genuine = verify(self.headers, body)
        if is_genuine:
            event = json.loads(body)
            print(event["type"], event["data"], flush=True)
        self.send_response(204 if is_genuine else 400)
        self.end_headers()


HTTPServer(("", 3000), Receiver).serve_forever()`;
