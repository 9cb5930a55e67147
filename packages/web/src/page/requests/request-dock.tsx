/** What the session asks the user, one after the other, above the composer. */
import type { UserRequest } from "@tau/wire";
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

import type { OpenSession } from "../store/open-session.ts";
import { ApprovalRequest } from "./approval.tsx";
import { DialogRequest } from "./dialog-request.tsx";
import { QuestionsRequest } from "./questions.tsx";
import { lazy } from "../parts/lazy.tsx";
import { TrustRequest } from "./trust.tsx";

const TerminalRequest = lazy(async () => (await import("./terminal.tsx")).TerminalRequest);

/** Answers with what the kind of the request takes; `{ cancelled: true }` is a no to every kind. */
export type Answer = (answer: Record<string, unknown>) => void;

export function RequestDock({ session }: { session: OpenSession }): JSX.Element | null {
	const requests = session.requests.value;
	const [request] = requests;
	if (!request) return null;
	return <OneRequest key={request.id} session={session} request={request} more={requests.length - 1} />;
}

interface OneProps {
	session: OpenSession;
	request: UserRequest;
	more: number;
}

function OneRequest({ session, request, more }: OneProps): JSX.Element {
	const element = useRef<HTMLElement>(null);
	const [isSent, setSent] = useState(false);
	// Two keys may come before the next frame.
	const sent = useRef(false);
	const [reason, setReason] = useState<string>();
	const mayAnswer = session.may(
		["dialog", "trust", "terminal"].includes(request.kind) ? "control" : "approve",
	);
	// Before it is drawn, so that keys answer it as soon as it is visible.
	useLayoutEffect(() => {
		// Who is writing is not interrupted: a key meant for the text must not answer.
		const field = document.querySelector<HTMLTextAreaElement>("#composer");
		if (!field || field.value === "" || document.activeElement !== field) element.current?.focus();
		return () => {
			if (element.current?.contains(document.activeElement)) field?.focus();
		};
	}, []);
	const answer: Answer = (given) => {
		if (sent.current || !mayAnswer) return;
		sent.current = true;
		setSent(true);
		setReason(undefined);
		session.client
			.request("answer_request", { requestId: request.id, answer: given })
			.catch((error: unknown) => {
				sent.current = false;
				setSent(false);
				setReason(error instanceof Error ? error.message : String(error));
			});
	};
	return (
		<section
			ref={element}
			class="request"
			tabIndex={-1}
			aria-label="A question for you"
			aria-live="assertive"
			aria-busy={isSent}
			onKeyDown={(event) => {
				// A terminal closes with its command.
				if (event.key !== "Escape" || !mayAnswer || request.kind === "terminal") return;
				event.preventDefault();
				event.stopPropagation();
				answer({ cancelled: true });
			}}
		>
			<fieldset disabled={isSent || !mayAnswer}>
				<legend class="visually-hidden">The session waits for your answer</legend>
				{request.kind === "approval" && <ApprovalRequest request={request} answer={answer} />}
				{request.kind === "questions" && <QuestionsRequest request={request} answer={answer} />}
				{request.kind === "trust" && <TrustRequest request={request} answer={answer} />}
				{request.kind === "terminal" && (
					<TerminalRequest session={session} request={request} mayType={mayAnswer} />
				)}
				{request.kind === "dialog" && <DialogRequest request={request} answer={answer} />}
			</fieldset>
			{reason !== undefined && (
				<p class="request-error" role="alert">
					{reason}
				</p>
			)}
			{more > 0 && (
				<p class="muted">{more === 1 ? "One more question waits." : `${more} more questions wait.`}</p>
			)}
			{!mayAnswer && <p class="muted">You may read this question, not answer it.</p>}
		</section>
	);
}
