/** The part of @tau/utils that runs in browsers too: nothing here imports a module of Node's or names Bun. */
export { abortable, delay, throwIfAborted, withTimeout } from "./abort.ts";
export { elapsed, money, plural, tokens } from "./amounts.ts";
export { showControls, stripControls } from "./control-strip.ts";
export { onDispose } from "./dispose.ts";
export { diffIn, isRecord } from "./values.ts";
