/** Chromium without its windows, for tests that look at pages alone. */
import { existsSync } from "node:fs";

/**
 * Where Debian has installed it: half the CPU time of a start and of a page. It has no push messages and keeps no page for
 * the Back button. Debian's script of this name would stay between it and its signals. Undefined where it is not installed.
 */
export const headlessShell = ["/usr/lib/chromium/chromium-headless-shell"].find((path) => existsSync(path));
