/** Whether closing loses a key that nobody has copied: then it is asked first. */
export type CopyGuard = 'off' | 'on' | 'asking';
