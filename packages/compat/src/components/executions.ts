/** Tool calls and user commands as pi's components, for extensions that show one themselves. */
import type { AgentToolResult } from "@tau/agent";
import { Box, Container, Spacer, Text, type Component, type EditorHost, type Theme } from "@tau/tui";
import { oneLine, stripControls } from "@tau/utils";
import { describeToolCall, type ToolRenderContext, type ToolDefinition } from "@tau/extensions/api";

import { truncateTail } from "../support/truncate.ts";
import { limits } from "./limits.ts";
import { screenTheme } from "../support/screen-theme.ts";
import { renderHelpers } from "./theming.ts";

type Host = Pick<EditorHost, "requestRender"> | undefined;

interface Result extends AgentToolResult {
	isError?: boolean;
}

export class ToolExecutionComponent extends Container {
	readonly #name: string;
	readonly #id: string;
	readonly #definition: ToolDefinition | undefined;
	readonly #ui: Host;
	readonly #cwd: string;
	readonly #state: Record<string, unknown> = {};
	#args: Record<string, unknown>;
	#result: Result | undefined;
	#isPartial = true;
	#isStarted = false;
	#isComplete = false;
	#isExpanded = false;
	#showsImages: boolean;
	#last: { call?: Component; result?: Component } = {};

	constructor(
		toolName: string,
		toolCallId: string,
		args: Record<string, unknown>,
		options: { showImages?: boolean } = {},
		toolDefinition?: ToolDefinition,
		ui?: Host,
		cwd: string = process.cwd(),
	) {
		super();
		this.#name = toolName;
		this.#id = toolCallId;
		this.#args = args ?? {};
		this.#showsImages = options.showImages ?? true;
		this.#definition = toolDefinition;
		this.#ui = ui;
		this.#cwd = cwd;
		this.#build();
	}

	updateArgs(args: Record<string, unknown>): void {
		this.#args = args ?? {};
		this.#build();
	}

	markExecutionStarted(): void {
		this.#isStarted = true;
		this.#build();
	}

	setArgsComplete(): void {
		this.#isComplete = true;
		this.#build();
	}

	updateResult(result: Result, isPartial: boolean = false): void {
		this.#result = result;
		this.#isPartial = isPartial;
		this.#build();
	}

	setExpanded(expanded: boolean): void {
		this.#isExpanded = expanded;
		this.#build();
	}

	setShowImages(show: boolean): void {
		this.#showsImages = show;
		this.#build();
	}

	/** Tau shows images as wide as they fit. */
	setImageWidthCells(_width: number): void {
		this.#build();
	}

	override invalidate(): void {
		super.invalidate();
		this.#build();
	}

	#build(): void {
		this.clear();
		const colors = screenTheme();
		const call = this.#drawn("call", colors) ?? this.#title(colors);
		const result = this.#result && (this.#drawn("result", colors) ?? this.#output(colors));
		this.addChild(new Spacer(1));
		if (this.#definition?.renderShell === "self") {
			for (const part of [call, result]) if (part) this.addChild(part);
			return;
		}
		const box = new Box(1, 1, (row) => colors.bg(this.#ground(), row));
		for (const part of [call, result]) if (part) box.addChild(part);
		this.addChild(box);
	}

	#ground(): "toolPendingBg" | "toolErrorBg" | "toolSuccessBg" {
		if (this.#isPartial) return "toolPendingBg";
		return this.#result?.isError ? "toolErrorBg" : "toolSuccessBg";
	}

	/** By the tool's renderer; one that fails is ignored. */
	#drawn(part: "call" | "result", colors: Theme): Component | undefined {
		const definition = this.#definition;
		const { expanded, isPartial } = { expanded: this.#isExpanded, isPartial: this.#isPartial };
		const context = this.#context(part);
		try {
			const made =
				part === "call"
					? definition?.renderCall?.(this.#args, colors, context)
					: this.#result &&
						definition?.renderResult?.(this.#result, { expanded, isPartial }, colors, context);
			if (made) this.#last[part] = made;
			return made;
		} catch {
			// The plain way shows the same facts.
			return undefined;
		}
	}

	#context(part: "call" | "result"): ToolRenderContext {
		return {
			...renderHelpers,
			args: this.#args,
			toolCallId: this.#id,
			toolName: this.#name,
			isDropped: false,
			elapsedMs: 0,
			result: this.#result,
			hasMotion: false,
			spinner: "·",
			renderDefault: () => this.#output(screenTheme()) ?? new Spacer(0),
			invalidate: () => this.#ui?.requestRender(),
			lastComponent: this.#last[part],
			state: this.#state,
			cwd: this.#cwd,
			executionStarted: this.#isStarted,
			argsComplete: this.#isComplete,
			isPartial: this.#isPartial,
			expanded: this.#isExpanded,
			showImages: this.#showsImages,
			isError: this.#result?.isError ?? false,
		};
	}

	#title(colors: Theme): Component {
		return new Text(colors.fg("toolTitle", colors.bold(describeToolCall(this.#name, this.#args))), 0, 0);
	}

	#output(colors: Theme): Component | undefined {
		const text = (this.#result?.content ?? [])
			.map((part) => (part.type === "text" ? part.text : this.#showsImages ? `[${part.mimeType}]` : ""))
			.join("\n");
		const most = this.#isExpanded ? limits.expandedLines : limits.foldedLines;
		const lines = stripControls(text).trimEnd().split("\n");
		const shown = lines.slice(0, most).map((line) => colors.fg("toolOutput", line));
		const more = lines.length - shown.length;
		if (more > 0) shown.push(colors.fg("muted", `… ${more} more lines`));
		return text.trim() === "" ? undefined : new Text(`\n${shown.join("\n")}`, 0, 0);
	}
}

export class BashExecutionComponent extends Container {
	readonly #command: string;
	readonly #ui: Host;
	readonly #isPrivate: boolean;
	#output = "";
	#end: { exitCode: number | undefined; cancelled: boolean } | undefined;
	#isExpanded = false;

	constructor(command: string, ui?: Host, excludeFromContext: boolean = false) {
		super();
		this.#command = command;
		this.#ui = ui;
		this.#isPrivate = excludeFromContext;
		this.#build();
	}

	setExpanded(expanded: boolean): void {
		this.#isExpanded = expanded;
		this.#build();
	}

	appendOutput(chunk: string): void {
		this.#output = truncateTail(this.#output + chunk).content;
		this.#build();
		this.#ui?.requestRender();
	}

	setComplete(exitCode: number | undefined, cancelled: boolean): void {
		this.#end = { exitCode, cancelled };
		this.#build();
		this.#ui?.requestRender();
	}

	getOutput(): string {
		return this.#output;
	}

	getCommand(): string {
		return this.#command;
	}

	override invalidate(): void {
		super.invalidate();
		this.#build();
	}

	#build(): void {
		this.clear();
		const colors = screenTheme();
		const mark = colors.fg("bashMode", colors.bold(this.#isPrivate ? "!!" : "!"));
		this.addChild(new Text(`${mark} ${oneLine(this.#command, limits.titleChars)}`, 1, 0));
		const lines = stripControls(this.#output).trimEnd().split("\n");
		const shown = lines.slice(-(this.#isExpanded ? limits.expandedLines : limits.foldedLines));
		const more = lines.length - shown.length;
		if (more > 0) this.addChild(new Text(colors.fg("muted", `… ${more} earlier lines`), 1, 0));
		if (this.#output !== "") this.addChild(new Text(colors.fg("toolOutput", shown.join("\n")), 1, 0));
		this.addChild(new Text(this.#how(colors), 1, 0));
	}

	#how(colors: Theme): string {
		if (!this.#end) return colors.fg("muted", "running");
		if (this.#end.cancelled) return colors.fg("warning", "stopped");
		const { exitCode } = this.#end;
		return exitCode === 0 ? "" : colors.fg("error", `exit ${exitCode ?? "?"}`);
	}
}
