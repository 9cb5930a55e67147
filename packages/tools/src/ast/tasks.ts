/** What the worker process of this package does. */
import { findMatches } from "./engine.ts";

export const tasks = { structure: findMatches } as const;
