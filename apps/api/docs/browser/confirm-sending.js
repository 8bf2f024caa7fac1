/**
 * Asks for confirmation before a request is sent.
 * @param {string} text
 * @param {boolean} isDangerous
 * @returns {Promise<boolean>} whether to send it
 */
export function confirmSending(text, isDangerous) {
  const dialog = document.createElement('dialog');
  const [question, buttons] = [document.createElement('p'), document.createElement('form')];
  question.textContent = text;
  buttons.method = 'dialog';
  buttons.append(button('Cancel', ''), button('Send request', isDangerous ? 'danger' : 'primary'));
  dialog.setAttribute('aria-label', 'Send this request?');
  dialog.append(question, buttons);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'Send request');
    });
  });
}

/**
 * @param {string} label
 * @param {string} look
 */
function button(label, look) {
  const element = document.createElement('button');
  element.value = label;
  element.textContent = label;
  element.className = look;
  return element;
}
