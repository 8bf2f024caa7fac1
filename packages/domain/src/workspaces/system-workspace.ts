/**
 * The workspace of the service's own mail (reset links, invitations), made by a migration. It has
 * no members, so nobody can read the links, no caps, and the platform sender no-reply@<platform domain>.
 */
export const SYSTEM_WORKSPACE_ID = '00000000-0000-7000-8000-000000000000';
