/**
 * A client of your own. It shows what happens line by line; each line of standard input answers an open question, runs
 * a command (`!ls`), starts a new session (`/new`), steers a running answer, or is the next prompt.
 */
import { createInterface } from "node:readline";

import { createAgentSession, SessionManager, type UserAnswer, type UserRequest } from "@tau/coding-agent";

await using tau = await createAgentSession({ sessionManager: SessionManager.inMemory() });
const { session } = tau;

function print(text: string): void {
	process.stdout.write(`${text}\n`);
}

// The events are the same in every client. `phase_changed` says when the session takes the next prompt.
using _events = session.subscribe((event) => {
	switch (event.type) {
		case "tool_execution_start":
			return print(`* ${event.toolName}`);
		case "message_end":
			if (event.message.role !== "assistant") return;
			for (const part of event.message.content) if (part.type === "text") print(part.text);
			if (event.message.failure) print(`! ${event.message.failure.message}`);
			return;
		case "notice":
			return print(`! ${event.message}`);
		case "phase_changed":
			if (event.phase === "idle") print("(ready)");
	}
});

// Without this, nobody can be asked: the tool `ask` and dialogs of extensions are declined.
using _requests = session.onRequest((request, closed) => {
	print(textOf(request));
	closed.addEventListener("abort", () => print("(closed)"));
});

function textOf(request: UserRequest): string {
	switch (request.kind) {
		case "questions":
			return request.questions
				.map(({ question, options }) => `? ${question} ${numbered(options.map(({ label }) => label))}`)
				.join("\n");
		case "approval":
			return `? Run ${request.call.toolName}? ${numbered(request.choices.map(({ label }) => label))}`;
		case "trust":
			return `? Trust ${request.project}? (y, n)`;
		case "terminal":
			return `? ${request.command} has opened a terminal.`;
		case "dialog":
			return `? ${request.dialog.title}`;
	}
}

function numbered(labels: readonly string[]): string {
	return labels.map((label, index) => `${index + 1}. ${label}`).join(", ");
}

/** `undefined` declines. A number chooses an option; several questions take several numbers. */
function answerOf(request: UserRequest, line: string): UserAnswer | undefined {
	const numbers = line.split(/\s+/).map(Number);
	switch (request.kind) {
		case "questions":
			return {
				answers: request.questions.map(({ id, options }, index) => {
					const option = options[(numbers[index] ?? 0) - 1];
					return option ? { id, chosen: [option.label] } : { id, chosen: [], text: line };
				}),
			};
		case "approval": {
			const choice = request.choices[(numbers[0] ?? 0) - 1];
			return choice && { choice: choice.id };
		}
		case "trust":
			return { trusted: line === "y", remember: false };
		case "terminal":
			return undefined;
		case "dialog":
			return request.dialog.method === "confirm" ? { confirmed: line === "y" } : { value: line };
	}
}

async function onLine(line: string): Promise<void> {
	const [request] = session.requests.pending;
	if (request) return session.answer(request.id, answerOf(request, line));
	// The shell is that of the model's commands: a `cd` holds for both.
	if (line.startsWith("!")) return print((await session.shell(line.slice(1))).output.trimEnd());
	if (line === "/new") return void (await session.move({ to: "new" }));
	if (session.isBusy) return session.steer({ text: line });
	// Not awaited: lines that come while it is answered steer it.
	void session.prompt({ text: line }).catch((error: unknown) => print(`! ${String(error)}`));
}

for await (const line of createInterface({ input: process.stdin })) await onLine(line);

// Standard input has ended: nobody is left to answer, and what runs may finish.
for (const { id } of session.requests.pending) session.answer(id, undefined);
await session.waitForIdle();
