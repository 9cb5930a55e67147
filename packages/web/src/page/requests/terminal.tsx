/** The terminal of a command: its screen as the host has drawn it, and a field that takes the keys. */
import type { UserRequestOf } from "@tau/wire";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

import type { OpenSession } from "../store/open-session.ts";
import { attempt } from "../store/toasts.ts";
import { AnsiText } from "../transcript/output.tsx";
import { bytesOf, pasted } from "./terminal-keys.ts";

const noModifiers = { altKey: false, shiftKey: false, metaKey: false } as const;
const touchKeys = [
	{ label: "Esc", key: "Escape", ctrlKey: false },
	{ label: "Tab", key: "Tab", ctrlKey: false },
	{ label: "↑", key: "ArrowUp", ctrlKey: false },
	{ label: "↓", key: "ArrowDown", ctrlKey: false },
	{ label: "Ctrl+C", key: "c", ctrlKey: true },
	{ label: "Enter", key: "Enter", ctrlKey: false },
] as const;

interface TerminalProps {
	session: OpenSession;
	request: UserRequestOf<"terminal">;
	mayType: boolean;
}

export function TerminalRequest({ session, request, mayType }: TerminalProps): JSX.Element {
	const { id, command, screen } = request;
	const field = useRef<HTMLTextAreaElement>(null);
	const view = useRef<HTMLPreElement>(null);
	const type = (data: string): void => {
		if (mayType && data !== "")
			void attempt(session.client.request("terminal_input", { requestId: id, data }));
	};
	/** What is in the field goes to the program. */
	const flush = (): void => {
		const { value = "" } = field.current ?? {};
		if (field.current) field.current.value = "";
		type(value);
	};
	useLayoutEffect(() => {
		if (!mayType || !view.current) return undefined;
		field.current?.focus();
		return followSize(
			view.current,
			(columns, rows) =>
				void attempt(session.client.request("terminal_resize", { requestId: id, columns, rows })),
		);
	}, [id, mayType]);
	const onKey = (event: KeyboardEvent): void => {
		if (event.isComposing) return;
		// The page has keys of its own, Escape above all: here they are the program's.
		event.stopPropagation();
		const bytes = bytesOf(event, screen.applicationCursor);
		if (bytes === undefined) return;
		event.preventDefault();
		type(bytes);
	};
	return (
		<div class="terminal">
			<div class="terminal-head">
				<code>$ {command}</code>
				<button type="button" class="chip" onClick={() => void attempt(session.client.request("abort", {}))}>
					Stop
				</button>
			</div>
			<pre class="terminal-screen" ref={view} onClick={() => field.current?.focus()}>
				<AnsiText text={screen.lines.join("\n")} />
			</pre>
			{mayType && (
				<TouchKeys
					onKey={(key) => {
						flush();
						type(bytesOf({ ...noModifiers, ...key }, screen.applicationCursor) ?? "");
					}}
				/>
			)}
			<textarea
				ref={field}
				class="terminal-keys"
				rows={1}
				aria-label={`Keys for ${command}`}
				placeholder="Keys go to the program"
				autocapitalize="off"
				autocomplete="off"
				spellcheck={false}
				disabled={!mayType}
				onKeyDown={onKey}
				onInput={(event) => !event.isComposing && flush()}
				// The keyboards of phones compose every word, and say nothing more behind its end.
				onCompositionEnd={flush}
				onPaste={(event) => {
					event.preventDefault();
					type(pasted(event.clipboardData?.getData("text") ?? "", screen.bracketedPaste));
				}}
			/>
		</div>
	);
}

function TouchKeys({ onKey }: { onKey(key: { key: string; ctrlKey: boolean }): void }): JSX.Element {
	return (
		<div class="touch-keys" role="group" aria-label="Keys">
			{touchKeys.map(({ label, ...key }) => (
				<button
					key={label}
					type="button"
					// The keyboard of the phone stays open.
					onPointerDown={(event) => event.preventDefault()}
					onClick={() => onKey(key)}
				>
					{label}
				</button>
			))}
		</div>
	);
}

/** As many cells as there is room for, whenever that has changed. */
function followSize(view: HTMLElement, onSize: (columns: number, rows: number) => void): () => void {
	let last = "";
	const measure = (): void => {
		const cell = cellOf(view);
		const room = Number.parseFloat(getComputedStyle(view).paddingLeft) * 2;
		const columns = Math.floor((view.clientWidth - room) / cell.width);
		const rows = Math.floor((view.clientHeight - room) / cell.height);
		if (columns < 2 || rows < 1 || last === `${columns} ${rows}`) return;
		last = `${columns} ${rows}`;
		onSize(columns, rows);
	};
	const observer = new ResizeObserver(measure);
	observer.observe(view);
	return () => observer.disconnect();
}

function cellOf(view: HTMLElement): { width: number; height: number } {
	const probe = document.createElement("span");
	probe.textContent = "0".repeat(20);
	view.append(probe);
	const { width, height } = probe.getBoundingClientRect();
	const lineHeight = Number.parseFloat(getComputedStyle(view).lineHeight) || height;
	probe.remove();
	return { width: width / 20, height: lineHeight };
}
