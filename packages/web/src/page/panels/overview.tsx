/** What the session is doing: its todos, agents, jobs and servers, and who else is here. */
import { elapsed, money, tokens } from "@tau/utils/portable";
import type { AgentFacts, TodoPhase } from "@tau/wire";
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

import { Markdown } from "../markdown/markdown.tsx";
import { runCommand } from "../store/actions.ts";
import type { OpenSession } from "../store/open-session.ts";
import { askLine, panel, uncover } from "../store/overlay.ts";
import { attempt } from "../store/toasts.ts";
import { planOf, titleOf } from "../transcript/call-line.ts";
import { ChildTranscript } from "./child-transcript.tsx";

export function OverviewPanel({ session }: { session: OpenSession }): JSX.Element {
	const { todos, agents, goal } = session.facts.value;
	return (
		<>
			{goal && (
				<Section title="Goal">
					<code>{goal.check}</code> <span class="muted">{`try ${goal.attempts} of ${goal.maxAttempts}`}</span>
				</Section>
			)}
			<ApprovedPlan session={session} />
			{todos.length > 0 && (
				<Section title="Todo">
					<Todos phases={todos} />
				</Section>
			)}
			{agents.length > 0 && (
				<Section title="Agents">
					<Agents agents={agents} session={session} />
				</Section>
			)}
			<Running session={session} />
			<Usage session={session} />
			<Section title="Here now">
				<ul class="plain-list">
					{session.clients.value.map(({ id, name, rights }) => (
						<li key={id}>
							{name} {id === session.client.me.id && <span class="tag">you</span>}{" "}
							<span class="muted">{rights}</span>
						</li>
					))}
				</ul>
			</Section>
		</>
	);
}

/** The last plan that the user has approved, as far as the conversation is here. */
function ApprovedPlan({ session }: { session: OpenSession }): JSX.Element | null {
	const call = session.items.value.findLast(
		(item) => item.kind === "call" && item.phase === "done" && planOf(item) !== undefined,
	);
	const plan = call?.kind === "call" ? planOf(call) : undefined;
	if (plan === undefined) return null;
	return (
		<Section title="Plan">
			<details class="plan">
				<summary>{titleOf(plan)}</summary>
				<Markdown text={plan} />
			</details>
		</Section>
	);
}

/** Commands in the background, and servers. */
function Running({ session }: { session: OpenSession }): JSX.Element {
	// Read, so that the panel follows what is being made.
	void session.live.value;
	const { jobs, ports, servers, languageServers } = session.client.view.live;
	return (
		<>
			{jobs.length > 0 && (
				<Section title="Background commands">
					<ul class="plain-list">
						{jobs.map(({ id, label }) => (
							<li key={id}>
								<code>{label}</code>
								<button
									type="button"
									class="link"
									onClick={() => void runCommand(session, "jobs", `end ${id}`)}
								>
									End
								</button>
							</li>
						))}
					</ul>
				</Section>
			)}
			{ports.length > 0 && (
				<Section title="Servers of commands">
					<ul class="plain-list">
						{ports.map(({ port, address, label }) => (
							<li key={port}>
								{address} <span class="muted">{label}</span>
							</li>
						))}
					</ul>
				</Section>
			)}
			{servers.length + languageServers.length > 0 && (
				<Section title="MCP and language servers">
					<ul class="plain-list">
						{servers.map(({ name, state, tools }) => (
							<li key={name}>
								{name} <span class="muted">{`${state} · ${tools} tools`}</span>
							</li>
						))}
						{languageServers.map(({ name, state, root }) => (
							<li key={name + root} title={root}>
								{name} <span class="muted">{state}</span>
							</li>
						))}
					</ul>
				</Section>
			)}
		</>
	);
}

/** Its reply, or its question, is in the conversation. */
function runBeside(session: OpenSession, command: string): void {
	uncover();
	void runCommand(session, command, "");
}

const shortcuts = ["tools", "mcp", "permissions", "sandbox", "status"];

function Usage({ session }: { session: OpenSession }): JSX.Element {
	const { usage, model, approvals, hiddenTools } = session.facts.value;
	return (
		<>
			<Section title="Usage">
				{usage ? (
					<dl class="facts">
						<Fact name="Cost" value={money(usage.cost)} />
						<Fact name="Input" value={tokens(usage.input)} />
						<Fact name="From the cache" value={tokens(usage.cacheRead)} />
						<Fact name="Output" value={tokens(usage.output)} />
					</dl>
				) : (
					<p class="muted">Being counted…</p>
				)}
			</Section>
			{session.may("control") && !session.isGuest && (
				<Section title="Session">
					<dl class="facts">
						<Choice
							name="Model"
							value={`${model.provider}/${model.id}`}
							onClick={() => (panel.value = "models")}
						/>
						{approvals && (
							<Choice
								name="Asks before tools run"
								value={approvals.mode}
								onClick={() => runBeside(session, "mode")}
							/>
						)}
						<Choice name="Settings" value="change" onClick={() => (panel.value = "settings")} />
					</dl>
				</Section>
			)}
			<Section title="Tools">
				<p class="muted">
					{hiddenTools.length === 0 ? "All tools are on." : `Off: ${hiddenTools.join(", ")}`}
				</p>
				<div class="actions">
					{(session.isGuest ? [] : shortcuts).map((name) => (
						<button key={name} type="button" class="chip" onClick={() => runBeside(session, name)}>
							/{name}
						</button>
					))}
				</div>
			</Section>
		</>
	);
}

export function Section({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
	return (
		<section class="section">
			<h3>{title}</h3>
			{children}
		</section>
	);
}

function Fact({ name, value }: { name: string; value: string }): JSX.Element {
	return (
		<div>
			<dt>{name}</dt>
			<dd>{value}</dd>
		</div>
	);
}

/** What the bar has room for on a wide screen alone. */
function Choice({ name, value, onClick }: { name: string; value: string; onClick(): void }): JSX.Element {
	return (
		<div>
			<dt>{name}</dt>
			<dd>
				<button type="button" class="link" aria-label={`${name}: ${value}`} onClick={onClick}>
					{value}
				</button>
			</dd>
		</div>
	);
}

const todoSigns = { pending: "○", in_progress: "◐", completed: "●", abandoned: "–" } as const;
const todoWords = {
	pending: "open",
	in_progress: "in progress",
	completed: "done",
	abandoned: "dropped",
} as const;

function Todos({ phases }: { phases: readonly TodoPhase[] }): JSX.Element {
	return (
		<>
			{phases.map(({ name, tasks }) => (
				<div key={name}>
					{phases.length > 1 && <h4>{name}</h4>}
					<ul class="todos">
						{tasks.map(({ content, status }, at) => (
							<li key={at} class={`todo todo-${status}`}>
								<span aria-hidden="true">{todoSigns[status]}</span>
								<span class="visually-hidden">{todoWords[status]}:</span> <span>{content}</span>
							</li>
						))}
					</ul>
				</div>
			))}
		</>
	);
}

/** As a tree: an agent may have opened others. */
function Agents({
	agents,
	session,
	parent,
}: {
	agents: readonly AgentFacts[];
	session: OpenSession;
	parent?: string;
}): JSX.Element {
	const own = agents.filter(({ parentId }) => parentId === parent);
	return (
		<ul class="agents">
			{own.map((agent) => (
				<li key={agent.id}>
					<Agent agent={agent} session={session} />
					{agents.some(({ parentId }) => parentId === agent.id) && (
						<Agents agents={agents} session={session} parent={agent.id} />
					)}
				</li>
			))}
		</ul>
	);
}

function Agent({ agent, session }: { agent: AgentFacts; session: OpenSession }): JSX.Element {
	const [isOpen, setOpen] = useState(false);
	const { id, name, state, task, lastAction, cost, startedAt, endedAt } = agent;
	const isRunning = ["running", "waiting", "stalled"].includes(state);
	const steer = async (): Promise<void> => {
		const message = await askLine(`Message to ${name}`);
		if (message)
			await attempt(
				session.client.request("prompt_child", {
					childId: id,
					message,
					...(isRunning ? { streamingBehavior: "steer" } : {}),
				}),
			);
	};
	return (
		<div class={`agent agent-${state}`}>
			<button type="button" class="line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
				<span class={`dot dot-${isRunning ? "running" : state === "completed" ? "done" : "failed"}`} />
				<span class="line-name">{name}</span>
				<span class="line-subject">{isRunning ? lastAction || task : task}</span>
				<span class="line-time">{elapsed((endedAt ?? Date.now()) - startedAt)}</span>
			</button>
			{isOpen && (
				<div class="agent-body">
					<p class="muted">{`${state} · ${money(cost)}`}</p>
					{session.may("control") && (
						<div class="actions">
							<button type="button" class="chip" onClick={() => void steer()}>
								{isRunning ? "Steer" : "Ask more"}
							</button>
							{isRunning && (
								<button
									type="button"
									class="chip"
									onClick={() => void attempt(session.client.request("abort_child", { childId: id }))}
								>
									Stop
								</button>
							)}
						</div>
					)}
					<ChildTranscript session={session} agent={agent} />
				</div>
			)}
		</div>
	);
}
