/** Test mail is built but never sent. */
export type Mode = 'live' | 'test';
