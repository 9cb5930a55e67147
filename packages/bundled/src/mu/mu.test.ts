/** When mu shortens a result, and when it does not. */
import { expect, test } from "bun:test";

import { log as logger } from "@tau/utils";
import type { AnyHandler, ExtensionAPI, ExtensionContext, ToolInfo } from "@tau/extensions/api";
import { SessionManager } from "@tau/log";

import { mu } from "./mu.ts";

interface Scene {
	mode?: ExtensionContext["mode"];
	transcript?: unknown;
	tool?: Partial<ToolInfo>;
	appendEntry?(type: string, data: unknown): void;
}

/** The result after mu has handled a long one. */
async function resultIn({ mode = "tui", transcript, tool, appendEntry }: Scene): Promise<unknown> {
	const log = SessionManager.inMemory("/work");
	const handlers = new Map<string, AnyHandler>();
	const sourceInfo = { path: "x", source: "tau", scope: "user", origin: "top-level" };
	const pi = {
		on: (name: string, handler: AnyHandler) => void handlers.set(name, handler),
		registerToolRenderer: () => {},
		registerCommand: () => {},
		registerShortcut: () => {},
		getSetting: () => transcript,
		getAllTools: () => [{ name: "lookup", sourceInfo, ...tool }],
		appendEntry: appendEntry ?? ((type: string, data: unknown) => void log.appendCustomEntry(type, data)),
		logger,
	};
	await mu(pi as unknown as ExtensionAPI);
	const event = {
		type: "tool_result",
		toolCallId: "1",
		toolName: "lookup",
		input: {},
		content: [{ type: "text", text: "one\ntwo" }],
		details: undefined,
		isError: false,
	} as Parameters<AnyHandler>[0];
	const ctx = { mode, sessionManager: log } as unknown as ExtensionContext;
	return handlers.get("tool_result")?.(event, ctx);
}

test("a tool of an extension is shortened on the screen, condensed", async () => {
	const shortened = { content: [{ type: "text", text: "(no arguments)" }] };
	expect(await resultIn({})).toMatchObject(shortened);
	expect(await resultIn({ transcript: "condensed" })).toMatchObject(shortened);
});

test("results stay complete without a screen, in the full transcript, and of tools that are built in or have a renderer", async () => {
	for (const mode of ["rpc", "json", "print"] as const) expect(await resultIn({ mode })).toBeUndefined();
	expect(await resultIn({ transcript: "full" })).toBeUndefined();
	const builtin = { path: "", source: "builtin", scope: "temporary", origin: "top-level" } as const;
	expect(await resultIn({ tool: { sourceInfo: builtin } })).toBeUndefined();
	expect(await resultIn({ tool: { rendersResult: true } })).toBeUndefined();
	expect(await resultIn({ tool: { name: "other" } })).toBeUndefined();
});

test("a result that cannot be stored is shown unchanged", async () => {
	const full = (): never => {
		throw new Error("no space left on device");
	};
	expect(await resultIn({ appendEntry: full })).toBeUndefined();
});
