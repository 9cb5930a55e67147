/** The part of @tau/utils that runs in browsers too: nothing here imports a module of Node's or names Bun. */
export { abortable, delay, isTimeout, throwIfAborted, withTimeout } from "./abort.ts";
export { elapsed, money, plural, tokens } from "./amounts.ts";
export { commonStart } from "./common-start.ts";
export { showControls, stripControls } from "./control-strip.ts";
export { listen, onDispose, timer } from "./dispose.ts";
export { env, envFlag, envNumber, environment } from "./env.ts";
export type { Env } from "./env.ts";
export { EventStream } from "./event-stream.ts";
export { shortId } from "./ids.ts";
export { maskSecrets, registerSecret } from "./mask.ts";
export { nextMacrotask } from "./next-macrotask.ts";
export { once } from "./once.ts";
export { report } from "./report.ts";
export { shareTurn } from "./share-turn.ts";
export { cutUnits, oneLine } from "./text.ts";
export { diffIn, isRecord } from "./values.ts";
