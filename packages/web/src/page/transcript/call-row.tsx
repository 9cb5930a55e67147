/** A call of a tool: one line, which opens to what it was called with and what came of it. */
import { elapsed } from "@tau/utils/portable";
import type { JSX } from "preact";
import { useContext, useState } from "preact/hooks";

import { Markdown } from "../markdown/markdown.tsx";
import { Icon } from "../parts/icon.tsx";
import { shownFilesOf } from "../store/artifacts.ts";
import { SessionContext } from "../store/session-context.ts";
import { callLine, diffOf, planOf, textOf } from "./call-line.ts";
import { DiffView } from "./diff-view.tsx";
import { Drawn } from "./drawn.tsx";
import type { CallItem, CallPhase } from "./items.ts";
import { Output } from "./output.tsx";
import { Pictures } from "./pictures.tsx";

const states: Readonly<Record<CallPhase, string>> = {
	writing: "is being written",
	ready: "starts",
	running: "running",
	waiting: "waits for your answer",
	done: "done",
	failed: "failed",
	dropped: "did not run",
};
/** A call that takes no longer says nothing of its time. */
const slowMs = 2000;

export function CallRow({ item }: { item: CallItem }): JSX.Element {
	const diff = diffOf(item.result?.details);
	const plan = planOf(item);
	// Changes and plans are what a reader wants to see; everything else is a line until it is asked for.
	const [isOpen, setOpen] = useState<boolean | undefined>(undefined);
	const { areCallsOpen = false, openCall } = useContext(SessionContext);
	const isShown =
		isOpen ??
		(areCallsOpen || openCall === item.id || ((diff ?? plan) !== undefined && item.phase === "done"));
	const line = callLine(item);
	const { durationMs = 0 } = item;
	return (
		<div class={`call call-${item.phase}`}>
			<button type="button" class="line" aria-expanded={isShown} onClick={() => setOpen(!isShown)}>
				<span class={`dot dot-${item.phase}`} />
				<span class="line-name">{item.name}</span>
				<span class="visually-hidden">{states[item.phase]}</span>
				{line.isCode ? (
					<code class="line-subject">{line.subject}</code>
				) : (
					<span class="line-subject">{line.subject}</span>
				)}
				{line.added !== undefined && (
					<span class="counts">
						<span class="count-added">+{line.added}</span> <span class="count-removed">−{line.removed}</span>
					</span>
				)}
				{line.outcome !== "" && <span class="line-outcome">{line.outcome}</span>}
				{durationMs >= slowMs && <span class="line-time">{elapsed(durationMs)}</span>}
				{item.phase === "waiting" && <span class="tag tag-wait">waits</span>}
				<Icon name="chevron" />
			</button>
			{isShown &&
				(plan === undefined ? <CallBody item={item} diff={diff} /> : <Plan item={item} plan={plan} />)}
		</div>
	);
}

function CallBody({ item, diff }: { item: CallItem; diff: string | undefined }): JSX.Element {
	const { onFile } = useContext(SessionContext);
	const text = textOf(item.result);
	const images = (item.result?.content ?? []).filter((part) => part.type === "image");
	const isOver = item.phase === "done" || item.phase === "failed";
	const shown = (
		<>
			{text !== "" && diff === undefined && <Output text={text} />}
			<Pictures images={images} />
		</>
	);
	return (
		<div class="call-body">
			{onFile && <FileButtons paths={shownFilesOf(item)} onFile={onFile} />}
			{diff === undefined ? <Arguments item={item} /> : <DiffView text={diff} />}
			{isOver ? <Drawn about={{ toolCallId: item.id }}>{shown}</Drawn> : shown}
		</div>
	);
}

function FileButtons({
	paths,
	onFile,
}: {
	paths: readonly string[];
	onFile(path: string): void;
}): JSX.Element {
	return (
		<>
			{paths.map((path) => (
				<button key={path} type="button" class="chip" onClick={() => onFile(path)}>
					Open {path}
				</button>
			))}
		</>
	);
}

/** A plan is read like an answer. What the user said to it follows where it was sent back. */
function Plan({ item, plan }: { item: CallItem; plan: string }): JSX.Element {
	const steps = Array.isArray(item.args.steps)
		? item.args.steps.filter((step) => typeof step === "string")
		: [];
	return (
		<div class="call-body plan">
			<Markdown text={plan} />
			{steps.length > 0 && (
				<ol>
					{steps.map((step, at) => (
						<li key={at}>{step}</li>
					))}
				</ol>
			)}
			{item.phase === "failed" && <Output text={textOf(item.result)} />}
		</div>
	);
}

function Arguments({ item }: { item: CallItem }): JSX.Element | null {
	const entries = Object.entries(item.args);
	if (item.open !== undefined) return <Output text={item.open} />;
	if (entries.length === 0) return null;
	return (
		<dl class="arguments">
			{entries.map(([name, value]) => (
				<div key={name}>
					<dt>{name}</dt>
					<dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
				</div>
			))}
		</dl>
	);
}
