/** Puts together what draws a tool: its own renderer, then what extensions have registered for it. */
import type { Component } from "@tau/tui";
import { ownedBy, runAs } from "@tau/utils";

import type { Extension } from "./extension.ts";
import type { ToolRenderer } from "./tool-renderer.ts";
import type { ExtensionContext, ToolDefinition } from "./types.ts";

/** A renderer as the screen calls it. */
export interface BoundRenderer {
	renderCall?(...args: RenderArguments<"renderCall">): Component | undefined;
	renderResult?(...args: RenderArguments<"renderResult">): Component | undefined;
	/** The tool has drawn it without the padding that pi's screen adds. */
	isBare?(component: Component): boolean;
	frameMs?: ToolRenderer["frameMs"] | undefined;
	joins?: ToolRenderer["joins"] | undefined;
	fold?: ToolRenderer["fold"] | undefined;
}

type RenderArguments<K extends "renderCall" | "renderResult"> =
	Parameters<NonNullable<ToolRenderer[K]>> extends [...infer Rest, ExtensionContext] ? Rest : never;

interface Owned {
	renderer: ToolRenderer;
	extension: Extension;
}

/** Undefined if no extension renders the tool. */
export function rendererFor(
	name: string,
	definition: ToolDefinition | undefined,
	extensions: readonly Extension[],
	contextOf: (extension: Extension) => ExtensionContext,
): BoundRenderer | undefined {
	const registered = extensions.flatMap((extension) =>
		extension.toolRenderers
			.filter(({ names }) => names === "*" || names.includes(name))
			.map(({ renderer }): Owned => ({ renderer, extension })),
	);
	const drawsItself = definition?.renderCall !== undefined || definition?.renderResult !== undefined;
	if (registered.length === 0 && !drawsItself) return undefined;
	// A tool that draws itself has its calls one by one.
	const folding = drawsItself ? undefined : registered.find(({ renderer }) => renderer.fold)?.renderer;
	const bare = new WeakSet<Component>();
	const label = extensions.find(({ tools }) => tools.get(name) === definition)?.label ?? name;
	const own = (draw: () => Component | undefined): Component | undefined => {
		const component = drawAs(label, draw);
		if (component && definition?.renderShell !== "self") bare.add(component);
		return component;
	};
	return {
		isBare: (component) => bare.has(component),
		renderCall: (...args) =>
			own(() => definition?.renderCall?.(...args)) ??
			first(registered, ({ renderer, extension }) => renderer.renderCall?.(...args, contextOf(extension))),
		renderResult: (...args) =>
			own(() => definition?.renderResult?.(...args)) ??
			first(registered, ({ renderer, extension }) => renderer.renderResult?.(...args, contextOf(extension))),
		frameMs: drawsItself ? undefined : registered.find(({ renderer }) => renderer.frameMs)?.renderer.frameMs,
		joins: folding?.joins,
		fold: folding?.fold,
	};
}

function first(all: readonly Owned[], draw: (owned: Owned) => Component | undefined): Component | undefined {
	for (const owned of all) {
		const component = drawAs(owned.extension.label, () => draw(owned));
		if (component) return component;
	}
	return undefined;
}

/** Draws in the name of an extension, which also owns what is drawn. */
export function drawAs(label: string, draw: () => Component | undefined): Component | undefined {
	return ownedBy(label, runAs(label, "render", draw));
}
