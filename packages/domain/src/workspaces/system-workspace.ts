/**
 * The workspace that sends the service's own mail (reset links, invitations) from no-reply@<platform domain>. The
 * schema creates it. It has no caps, and no members who could read the links.
 */
export const SYSTEM_WORKSPACE_ID = '00000000-0000-7000-8000-000000000000';
