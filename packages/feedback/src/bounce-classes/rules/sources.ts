// Pages that more than one rule names as its source.
export const GMAIL = 'Google, "Gmail SMTP errors and codes"';
export const MICROSOFT = 'Microsoft, "Email non-delivery reports and SMTP errors" and "Outlook.com Postmaster"';
export const YAHOO = 'Yahoo, "SMTP error codes"';
export const IANA = 'IANA, "SMTP Enhanced Status Codes"';
