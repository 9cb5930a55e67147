/** Which renderer draws a tool if several could. */
import { expect, test } from "bun:test";

import { builtinTheme, Text, type Component } from "@tau/tui";

import { Extension } from "./extension.ts";
import { rendererFor, type BoundRenderer } from "./renderer-chain.ts";
import type { ToolRenderContext, ToolRenderer } from "./tool-renderer.ts";
import type { ExtensionContext, ToolDefinition } from "./types.ts";

const theme = builtinTheme("dark", "none");

function extension(path: string, names: readonly string[] | "*", renderer: ToolRenderer): Extension {
	const made = new Extension(path, { path, source: "test", scope: "user", origin: "top-level" });
	made.toolRenderers.push({ names, renderer });
	return made;
}

const says = (text: string): ToolRenderer => ({ renderCall: () => new Text(text) });
const contextOf = ({ path }: Extension): ExtensionContext => ({ cwd: path }) as ExtensionContext;
const context = { toolName: "bash" } as ToolRenderContext;

function drawn(renderer: BoundRenderer | undefined): string | undefined {
	const component: Component | undefined = renderer?.renderCall?.({}, theme, context);
	return component?.render(40).join("").trim();
}

test("a tool's own rendering gets pi's padding, unless it draws its own shell", () => {
	const bareness = (definition: Partial<ToolDefinition>, all: readonly Extension[] = []): unknown => {
		const renderer = rendererFor("bash", definition as ToolDefinition, all, contextOf);
		const component = renderer?.renderCall?.({}, theme, context);
		return component && renderer?.isBare?.(component);
	};
	const renderCall = (): Component => new Text("own");
	expect(bareness({ renderCall })).toBe(true);
	expect(bareness({ renderCall, renderShell: "self" })).toBe(false);
	expect(bareness({}, [extension("a", "*", says("a"))])).toBe(false);
});

test("a tool's own renderer comes first, then the registered ones in the order of the extensions", () => {
	const all = [
		extension("a", ["read"], says("a")),
		extension("b", "*", says("b")),
		extension("c", "*", says("c")),
	];
	const own = { renderCall: () => new Text("own") } as unknown as ToolDefinition;
	expect(drawn(rendererFor("bash", own, all, contextOf))).toBe("own");
	expect(drawn(rendererFor("bash", undefined, all, contextOf))).toBe("b");
	expect(drawn(rendererFor("read", undefined, all, contextOf))).toBe("a");
	expect(rendererFor("bash", undefined, all.slice(0, 1), contextOf)).toBeUndefined();
});

test("a renderer that returns nothing falls through to the next, and each gets its own extension's context", () => {
	const silent = extension("a", "*", { renderCall: () => undefined });
	const named = extension("b", "*", { renderCall: (_args, _theme, _context, { cwd }) => new Text(cwd) });
	expect(drawn(rendererFor("bash", undefined, [silent, named], contextOf))).toBe("b");
	expect(drawn(rendererFor("bash", undefined, [silent], contextOf))).toBeUndefined();
});

test("a tool with its own renderer does not inherit folding or frame timing", () => {
	const folding = extension("a", "*", { fold: () => [], joins: () => true, frameMs: () => 50 });
	expect(rendererFor("bash", undefined, [folding], contextOf)?.fold).toBeDefined();
	const own = { renderResult: () => new Text("own") } as unknown as ToolDefinition;
	const { fold, joins, frameMs } = rendererFor("bash", own, [folding], contextOf) ?? {};
	expect([fold, joins, frameMs]).toEqual([undefined, undefined, undefined]);
});
