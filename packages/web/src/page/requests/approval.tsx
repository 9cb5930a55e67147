/** May this call run? Shows all of it, and why it is asked. A call cannot be allowed before its end was seen. */
import { showControls } from "@tau/utils/portable";
import type { UserRequestOf } from "@tau/wire";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { DiffView } from "../transcript/diff-view.tsx";
import type { Answer } from "./request-dock.tsx";
import { useNumberKeys } from "./use-number-keys.ts";

type Approval = UserRequestOf<"approval">;

export function ApprovalRequest({ request, answer }: { request: Approval; answer: Answer }): JSX.Element {
	const { call, reason, title, agent, choices } = request;
	const whole = useRef<HTMLDivElement>(null);
	const body = useRef<HTMLDivElement>(null);
	const [isSeen, setSeen] = useState(false);
	const [message, setMessage] = useState<{ choice: string; text: string }>();
	const [texts, setTexts] = useState<readonly string[]>();
	const { amendable = [] } = request;
	useEffect(() => {
		const element = body.current;
		if (!element) return setSeen(true);
		const look = (): void => {
			if (element.scrollTop + element.clientHeight >= element.scrollHeight - 8) setSeen(true);
		};
		look();
		element.addEventListener("scroll", look, { passive: true });
		return () => element.removeEventListener("scroll", look);
	}, []);
	const choose = (at: number): void => {
		const choice = choices[at];
		if (!choice) return;
		if (choice.allows && !isSeen)
			return void body.current?.scrollBy({ top: body.current.clientHeight * 0.9 });
		if (choice.takesMessage && message?.choice !== choice.id)
			return setMessage({ choice: choice.id, text: "" });
		if (choice.takesTexts && !texts) return setTexts(amendable.map(({ text }) => text));
		answer({
			choice: choice.id,
			...(message?.text ? { message: message.text } : {}),
			...(choice.takesTexts && texts ? { texts } : {}),
		});
	};
	useNumberKeys(whole, choose);
	return (
		<div class="approval" ref={whole}>
			<h2>
				{shown(title ?? `Allow ${call.toolName}?`)}
				{agent !== undefined && <span class="tag">{`agent ${shown(agent)}`}</span>}
			</h2>
			{reason !== undefined && <p class="approval-reason">{shown(reason)}</p>}
			<div class="approval-body" ref={body} tabIndex={0} role="region" aria-label="What would run">
				<Body request={request} />
			</div>
			{!isSeen && <p class="muted">Scroll to the end before you allow it.</p>}
			<div class="choices">
				{choices.map((choice, at) => (
					<button
						key={choice.id}
						type="button"
						class={choice.allows ? "choice allow" : "choice deny"}
						aria-disabled={choice.allows && !isSeen}
						onClick={() => choose(at)}
					>
						<kbd>{at + 1}</kbd>{" "}
						<span>{choice.takesTexts && texts ? "Run it as changed below" : choice.label}</span>
						{choice.covers && choice.covers.length > 0 && <code>{choice.covers.join(", ")}</code>}
					</button>
				))}
			</div>
			{texts && <Amended request={request} texts={texts} change={setTexts} />}
			{message && (
				<label class="message">
					What should happen instead?
					<textarea
						rows={2}
						value={message.text}
						ref={(field) => field?.focus()}
						onInput={(event) => setMessage({ ...message, text: event.currentTarget.value })}
						onKeyDown={(event) => {
							if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
							event.preventDefault();
							answer({ choice: message.choice, ...(message.text ? { message: message.text } : {}) });
						}}
					/>
				</label>
			)}
		</div>
	);
}

/** The texts of the call, as the user wants them. */
function Amended({
	request: { amendable = [] },
	texts,
	change,
}: {
	request: Approval;
	texts: readonly string[];
	change(texts: readonly string[]): void;
}): JSX.Element {
	return (
		<>
			{texts.map((text, at) => (
				<label class="message" key={at}>
					{shown(amendable[at]?.name ?? "")}
					<textarea
						class="amended"
						rows={Math.min(12, text.split("\n").length + 1)}
						value={text}
						spellcheck={false}
						onInput={({ currentTarget: { value } }) => change(texts.with(at, value))}
					/>
				</label>
			))}
		</>
	);
}

/** Nothing of what would run is left out, cut or invisible. */
function Body({ request: { call, touches, preview } }: { request: Approval }): JSX.Element {
	const commands = touches.flatMap((touch) => (touch.kind === "exec" ? [touch] : []));
	const others = touches.flatMap((touch) => (touch.kind === "exec" ? [] : [touch]));
	return (
		<>
			{commands.map(({ command, cwd }, at) => (
				<div key={at}>
					<pre class="approval-command">{showControls(command)}</pre>
					<p class="muted">in {shown(cwd)}</p>
				</div>
			))}
			{preview?.kind === "diff" && <DiffView text={showControls(preview.text)} isWhole />}
			{preview?.kind === "text" && <pre>{showControls(preview.text)}</pre>}
			{commands.length === 0 && !preview && (
				<>
					{others.map((touch, at) => (
						<p key={at}>
							<span class="tag">{touch.kind}</span>{" "}
							<code>{shown(touch.kind === "fetch" ? touch.url : touch.path)}</code>
						</p>
					))}
					<dl class="arguments">
						{Object.entries(call.args).map(([name, value]) => (
							<div key={name}>
								<dt>{shown(name)}</dt>
								<dd>{showControls(typeof value === "string" ? value : JSON.stringify(value, null, 2))}</dd>
							</div>
						))}
					</dl>
				</>
			)}
		</>
	);
}

/** One line in which everything is visible. */
function shown(text: string): string {
	return showControls(text).replaceAll("\n", "⏎").replaceAll("\t", "⇥");
}
