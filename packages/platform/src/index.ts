export { type Context, closeContext, openContext, openTracedContext } from './context.js';
