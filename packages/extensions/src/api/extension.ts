/** One loaded extension: where it comes from, and what it has registered. */
import { basename, dirname, extname } from "node:path";

import type { FileDeleteFallback, FileWriteFallback } from "./file-fallbacks.ts";
import type { MarkdownTransformer, ThinkingRenderer } from "./text-transforms.ts";
import type { EventOf, ExtensionEventName } from "./event-types.ts";
import type {
	CommandOptions,
	EntryRenderer,
	ExtensionContext,
	FlagOptions,
	MessageRenderer,
	ShortcutOptions,
	SourceInfo,
	ToolDefinition,
} from "./types.ts";
import type { ToolRenderer } from "./tool-renderer.ts";
import type { WebMessageRenderer, WebToolRenderer } from "./web-renderer.ts";

/** A stored handler of any event; the event's name determines its arguments. */
export type AnyHandler = (event: EventOf<ExtensionEventName>, ctx: ExtensionContext) => unknown;

export class Extension {
	readonly path: string;
	readonly sourceInfo: SourceInfo;
	readonly handlers = new Map<string, AnyHandler[]>();
	readonly tools = new Map<string, ToolDefinition>();
	readonly commands = new Map<string, CommandOptions>();
	readonly flags = new Map<string, FlagOptions>();
	readonly shortcuts = new Map<string, ShortcutOptions>();
	readonly renderers = new Map<string, MessageRenderer>();
	readonly entryRenderers = new Map<string, EntryRenderer>();
	readonly markdownTransformers: MarkdownTransformer[] = [];
	readonly thinkingRenderers: ThinkingRenderer[] = [];
	readonly writeFallbacks: FileWriteFallback[] = [];
	readonly deleteFallbacks: FileDeleteFallback[] = [];
	readonly toolRenderers: { names: readonly string[] | "*"; renderer: ToolRenderer }[] = [];
	readonly webRenderers = new Map<string, WebMessageRenderer>();
	readonly webToolRenderers: { names: readonly string[] | "*"; render: WebToolRenderer }[] = [];
	/** Calls of the extension that have no effect, reported for its author. */
	readonly warnings: string[] = [];
	/** The number of its dialogs that wait for the user: its handlers do not time out meanwhile. */
	openDialogs = 0;
	#label: string | undefined;

	constructor(path: string, sourceInfo: SourceInfo) {
		this.path = path;
		this.sourceInfo = sourceInfo;
	}

	/** Removes what it has registered, because loading it failed. */
	clear(): void {
		for (const registered of [
			this.handlers,
			this.tools,
			this.commands,
			this.flags,
			this.shortcuts,
			this.renderers,
			this.entryRenderers,
			this.webRenderers,
		])
			registered.clear();
		for (const list of [
			this.markdownTransformers,
			this.thinkingRenderers,
			this.toolRenderers,
			this.webToolRenderers,
		])
			list.length = 0;
	}

	/** What it calls itself, or what its file is called. */
	get label(): string {
		return this.#label ?? extensionName(this.path);
	}

	set label(label: string) {
		this.#label = label.trim() || undefined;
	}
}

/** Folders of a package that say nothing about whose they are. */
const sourceFolders: ReadonlySet<string> = new Set([
	"src",
	"dist",
	"build",
	"lib",
	"out",
	"extension",
	"extensions",
]);

/** `/x/foo.ts`, `/x/foo/index.ts` and `/x/foo/src/index.ts` are all `foo`, and so is a bundled one. */
export function extensionName(path: string): string {
	const [, shipped] = /^<builtin:(.+)>$/.exec(path) ?? [];
	if (shipped !== undefined) return shipped;
	const file = basename(path, extname(path));
	if (file !== "index") return file;
	let folder = dirname(path);
	while (sourceFolders.has(basename(folder))) folder = dirname(folder);
	return basename(folder);
}
