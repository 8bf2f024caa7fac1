/** The search field, the forms that send requests, and their answers. */
export const formStyle = `
button {
  padding: 0.45rem 0.9rem; border: 1px solid var(--primary); border-radius: 8px; cursor: pointer;
  font-family: inherit; font-size: 0.9rem; font-weight: 600; color: #ffffff; background: var(--primary);
}
button[disabled] { opacity: 0.6; cursor: default; }
button.danger { background: var(--danger); border-color: var(--danger); }
.copy, dialog button:first-child {
  padding: 0.15rem 0.55rem; border-color: var(--line); color: var(--text); background: var(--surface); font-size: 0.8rem;
}
dialog button:first-child { padding: 0.45rem 0.9rem; font-size: 0.9rem; }
label { font-size: 0.9rem; }
input:not([type=radio]), textarea {
  display: block; width: 100%; margin: 0.2rem 0 0; padding: 0.45rem 0.6rem; border: 1px solid light-dark(#8a929c, #6c7480);
  border-radius: 8px; font: inherit; color: inherit; background: var(--surface);
}
textarea { font: 0.85rem/1.5 var(--mono); resize: vertical; }
.try { padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--surface); }
.try form { display: grid; gap: 0.75rem; margin-top: 0.75rem; }
.try form button { justify-self: start; }
.hint { margin: 0; color: var(--muted); font-size: 0.85rem; }
.answer pre { margin-top: 0.5rem; }
.answer p { margin: 1rem 0 0.5rem; font-weight: 600; }
.succeeded { color: var(--good); }
.failed { color: var(--bad); }
dialog {
  max-width: 28rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: 8px; color: inherit; background: var(--surface);
}
dialog::backdrop { background: rgb(0 0 0 / 50%); }
dialog p { margin: 0 0 1rem; }
dialog form { display: flex; justify-content: flex-end; gap: 0.5rem; }
`;
