/** What a built-in tool whose work is done elsewhere is called with. */
import { resolve } from "node:path";

import { expandHome } from "@tau/utils";
import type { ExtensionToolResult } from "@tau/extensions/api";

export type Params = Readonly<Record<string, unknown>>;

/** What a tool does with operations that are not ours. Throws what the model is to be told went wrong. */
export type Elsewhere<Operations> = (
	params: Params,
	place: { cwd: string; signal: AbortSignal },
	operations: Operations,
) => Promise<ExtensionToolResult>;

export function absolute(cwd: string, path: unknown): string {
	return resolve(cwd, expandHome(typeof path === "string" && path !== "" ? path : "."));
}

export function numberOf(value: unknown, otherwise: number): number {
	return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}

export function said(text: string, details?: object): ExtensionToolResult {
	return { content: [{ type: "text", text }], details };
}
