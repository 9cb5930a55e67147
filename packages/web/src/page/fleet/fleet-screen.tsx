/** The fleet: what waits for the user, tasks by state with their last action, cost and age, and a stop of everything. */
import { elapsed, money, plural } from "@tau/utils/portable";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";

import { limits } from "../limits.ts";
import { Loading } from "../panels/loading.tsx";
import { useLoaded } from "../panels/use-loaded.ts";
import { ListButtons } from "../shell/list-buttons.tsx";
import { call } from "../store/api.ts";
import { askLine } from "../store/overlay.ts";
import { attempt } from "../store/toasts.ts";
import { Named, Table } from "../usage/tables.tsx";

interface FleetTask {
	readonly id: string;
	readonly state: string;
	readonly prompt: string;
	readonly createdAt: number;
	readonly endedAt?: number;
	readonly cost: number;
	readonly last: string;
	readonly questions: readonly { readonly text: string; readonly choices: readonly string[] }[];
	readonly sessionId?: string;
}

interface FleetData {
	readonly isUsed: boolean;
	readonly isLocal?: boolean;
	readonly counts: Readonly<Record<string, number>>;
	readonly tasks: readonly FleetTask[];
}

type Send = (path: string, text?: string) => void;

export function FleetScreen(): JSX.Element {
	const loaded = useLoaded(() => call<FleetData>("GET", "/api/fleet"), []);
	const { data, reload } = loaded;
	useEffect(() => {
		const again = setInterval(() => document.visibilityState === "visible" && void reload(), limits.fleetMs);
		return () => clearInterval(again);
	}, []);
	const send: Send = (path, text) =>
		void attempt(call("POST", `/api/fleet/${path}`, text === undefined ? {} : { text }).then(reload));
	const open = (data?.tasks ?? []).filter(({ state }) => !over.has(state));
	return (
		<main class="usage-screen" aria-busy={data === undefined}>
			<header class="bar">
				<ListButtons />
				<div class="bar-title">
					<h1>Fleet</h1>
					<p class="bar-facts" role="status">
						{data && countsText(data.counts)}
					</p>
				</div>
				{open.length > 0 && <StopAll count={open.length} send={send} />}
			</header>
			<div class="usage-body" tabIndex={0} role="group" aria-label="Fleet">
				<Loading from={loaded} />
				{data && data.tasks.length === 0 && (
					<p class="muted">
						There are no tasks. <code>tau task add "…"</code> gives one to a worker, on this machine or on
						others.
					</p>
				)}
				{open.flatMap((task) =>
					task.questions.length === 0 ? [] : [<Asked key={task.id} task={task} send={send} />],
				)}
				{data && data.tasks.length > 0 && <Tasks data={data} send={send} />}
			</div>
		</main>
	);
}

const over: ReadonlySet<string> = new Set(["done", "failed", "stopped"]);

function countsText(counts: FleetData["counts"]): string {
	return Object.entries(counts)
		.map(([state, count]) => `${count} ${state}`)
		.join(", ");
}

/** Asks first: nothing brings back what was stopped in the middle. */
function StopAll({ count, send }: { count: number; send: Send }): JSX.Element {
	const stop = async (): Promise<void> => {
		const said = await askLine(`Stop ${plural(count, "task")}? Type stop.`);
		if (said?.trim().toLowerCase() === "stop") send("stop");
	};
	return (
		<button type="button" onClick={() => void stop()}>
			Stop everything
		</button>
	);
}

/** The first question of a task, with what may be answered. */
function Asked({ task, send }: { task: FleetTask; send: Send }): JSX.Element {
	const [question] = task.questions;
	const answer = (text: string | undefined): void => {
		if (text !== undefined && text.trim() !== "") send(`${task.id}/answer`, text);
	};
	return (
		<section class="usage-card fleet-question" aria-label={`Question of task ${task.id}`}>
			<h2>{task.prompt}</h2>
			<p>{question?.text}</p>
			<p class="actions">
				{question?.choices.map((choice, at) => (
					<button key={choice} type="button" class={at === 0 ? "primary" : ""} onClick={() => answer(choice)}>
						{choice}
					</button>
				))}
				<button type="button" onClick={() => void askLine("Your answer").then(answer)}>
					Other answer…
				</button>
			</p>
		</section>
	);
}

function Tasks({ data, send }: { data: FleetData; send: Send }): JSX.Element {
	const now = Date.now();
	return (
		<Table
			title="Tasks"
			hasActions
			rows={data.tasks}
			keyOf={({ id }) => id}
			columns={[
				{ name: "Task", isText: true, cell: ({ id, prompt }) => <Named name={prompt} about={id} /> },
				{ name: "State", isText: true, cell: ({ state }) => state },
				{ name: "Last", isText: true, cell: ({ last }) => <span class="reason">{last}</span> },
				{ name: "Cost", cell: ({ cost }) => (cost > 0 ? money(cost) : "–") },
				{ name: "Age", cell: ({ createdAt, endedAt }) => elapsed((endedAt ?? now) - createdAt) },
				{
					name: "Actions",
					isText: true,
					cell: (task) => <Actions task={task} isLocal={data.isLocal === true} send={send} />,
				},
			]}
		/>
	);
}

function Actions({ task, isLocal, send }: { task: FleetTask; isLocal: boolean; send: Send }): JSX.Element {
	const { id, state, sessionId } = task;
	const steer = async (): Promise<void> => {
		const text = await askLine("A message to the task");
		if (text !== undefined && text.trim() !== "") send(`${id}/steer`, text);
	};
	if (over.has(state))
		return (
			<button type="button" aria-label={`Retry ${id}`} onClick={() => send(`${id}/retry`)}>
				Retry
			</button>
		);
	return (
		<span class="actions">
			{isLocal && sessionId !== undefined && <a href={`#/s/${encodeURIComponent(sessionId)}`}>Open</a>}
			<button type="button" aria-label={`Steer ${id}`} onClick={() => void steer()}>
				Steer
			</button>
			<button type="button" aria-label={`Stop ${id}`} onClick={() => send(`${id}/stop`)}>
				Stop
			</button>
		</span>
	);
}
