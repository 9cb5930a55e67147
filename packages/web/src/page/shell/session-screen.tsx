/** An open session: its bar, the conversation, what is asked, and the composer; panels beside it. */
import { money, stripControls, tokens } from "@tau/utils/portable";
import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";

import { Composer } from "../composer/composer.tsx";
import { lazy } from "../parts/lazy.tsx";
import { IconButton } from "../parts/icon.tsx";
import { RequestDock } from "../requests/request-dock.tsx";
import { runCommand } from "../store/actions.ts";
import { openFile } from "../store/artifacts.ts";
import type { OpenSession } from "../store/open-session.ts";
import { askLine, panel, rewindTarget, togglePanel, type PanelName } from "../store/overlay.ts";
import { SessionContext, type RowContext } from "../store/session-context.ts";
import { attempt } from "../store/toasts.ts";
import { Transcript } from "../transcript/transcript.tsx";
import { ListButtons } from "./list-buttons.tsx";
import { baseName } from "./screens.tsx";

const PanelFrame = lazy(async () => (await import("../panels/panel-frame.tsx")).PanelFrame);

export function SessionScreen({ session }: { session: OpenSession }): JSX.Element {
	const context = useMemo(
		(): RowContext => ({
			files: session.may("control") ? session.files : undefined,
			me: session.client.me.name,
			onFile: (path, line) => void openFile(session, path, line),
			draw: (about) => session.draw(about),
			onEdit: session.may("control") ? (entryId) => rewindTo(entryId) : undefined,
		}),
		[session],
	);
	return (
		<SessionContext.Provider value={context}>
			<main class="session-screen">
				<SessionBar session={session} />
				<ConnectionNote session={session} />
				<Transcript session={session} />
				<div class="dock">
					<RequestDock session={session} />
					<Input session={session} />
				</div>
			</main>
			{panel.value !== undefined && <PanelFrame session={session} name={panel.value} />}
		</SessionContext.Provider>
	);
}

function Input({ session }: { session: OpenSession }): JSX.Element | null {
	if (!session.may("comment")) return <p class="read-only">View only: you can read this session.</p>;
	// Whoever runs the server can start a session again; a guest cannot.
	if (session.isGuest && session.connection.value.kind === "ended") return null;
	return <Composer session={session} />;
}

function rewindTo(entryId: string): void {
	rewindTarget.value = entryId;
	panel.value = "rewind";
}

/** A session without a name is called by how it began, as far as that is here. */
function firstWords({ items, missing }: OpenSession): string | undefined {
	const first = missing.value === 0 ? items.value.find(({ kind }) => kind === "user") : undefined;
	return first?.kind === "user" ? first.text.trim().split("\n", 1)[0] : undefined;
}

function SessionBar({ session }: { session: OpenSession }): JSX.Element {
	const { session: info, phase, goal } = session.facts.value;
	const rename = async (): Promise<void> => {
		const name = await askLine("Name of the session", info.name ?? "");
		if (name !== undefined) await attempt(session.client.request("set_session_name", { name }));
	};
	return (
		<header class="bar">
			{!session.isGuest && <ListButtons />}
			<div class="bar-title">
				<h1>
					<button
						type="button"
						class="title-button"
						title="Rename"
						disabled={!session.may("control")}
						onClick={() => void rename()}
					>
						{stripControls(info.name ?? firstWords(session) ?? "New session")}
					</button>
				</h1>
				<p class="bar-facts">
					<span class={`phase phase-${phase}`}>{phase === "idle" ? "" : phase}</span>
					<span title={info.cwd}>{baseName(info.cwd)}</span>
					{goal && <span title={goal.check}>{`goal ${goal.attempts}/${goal.maxAttempts}`}</span>}
					{session.isGuest && <span>{`guest as ${session.client.me.name}`}</span>}
					{session.clients.value.length > 1 && <span>{session.clients.value.length} clients</span>}
				</p>
			</div>
			<BarTools session={session} />
		</header>
	);
}

function BarTools({ session }: { session: OpenSession }): JSX.Element {
	const { model, thinkingLevel, approvals, context, usage } = session.facts.value;
	return (
		<div class="bar-tools">
			<PanelChip name="models" title="Model and thinking level" disabled={session.isGuest}>
				{model.name}
				{thinkingLevel !== "off" && <span class="muted"> {thinkingLevel}</span>}
			</PanelChip>
			{approvals && (
				<button
					type="button"
					class={`chip chip-mode-${approvals.mode}`}
					title="When Tau asks before tools run"
					disabled={!session.may("control")}
					onClick={() => void runCommand(session, "mode", "")}
				>
					{approvals.mode}
				</button>
			)}
			<PanelChip
				name="context"
				title={`${tokens(context.tokens)} of ${tokens(context.contextWindow)} tokens`}
				class="meter"
			>
				<meter min={0} max={100} high={80} value={context.percent} aria-label="Context" />{" "}
				{Math.round(context.percent)}%
			</PanelChip>
			{usage && usage.cost > 0 && (
				<button
					type="button"
					class="chip"
					title="Cost of the session"
					onClick={() => void runCommand(session, "cost", "")}
				>
					{money(usage.cost)}
				</button>
			)}
			<IconButton
				icon="panel"
				label="Overview"
				aria-expanded={panel.value === "overview"}
				onClick={() => togglePanel("overview")}
			/>
		</div>
	);
}

interface ChipProps {
	name: PanelName;
	title: string;
	class?: string;
	disabled?: boolean;
	children: ComponentChildren;
}

function PanelChip({ name, title, class: more = "", disabled = false, children }: ChipProps): JSX.Element {
	return (
		<button
			type="button"
			class={`chip ${more}`}
			title={title}
			disabled={disabled}
			aria-expanded={panel.value === name}
			onClick={() => togglePanel(name)}
		>
			{children}
		</button>
	);
}

function ConnectionNote({ session }: { session: OpenSession }): JSX.Element | null {
	const state = session.connection.value;
	if (session.copiedAt !== undefined)
		return (
			<div class="connection connection-reconnecting" role="status">
				No connection. This is how the session was on {new Date(session.copiedAt).toLocaleString()}.
			</div>
		);
	if (state.kind === "connected") return null;
	return (
		<div class={`connection connection-${state.kind}`} role="status">
			{state.kind === "ended" ? state.reason : "Connecting again… Nothing is lost."}
		</div>
	);
}
