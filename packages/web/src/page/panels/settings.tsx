/** The settings of the session, with a search; a change applies to this session alone. And those of this page. */
import { isRecord } from "@tau/utils/portable";
import type { JSX, TargetedInputEvent } from "preact";
import { useRef, useState } from "preact/hooks";

import { pushState, subscribeToPush, unsubscribeFromPush } from "../offline/push.ts";
import type { OpenSession } from "../store/open-session.ts";
import { showThinking, sideBySide, theme, type Theme } from "../store/preferences.ts";
import { signOut } from "../store/sessions.ts";
import { attempt } from "../store/toasts.ts";
import { Loading } from "./loading.tsx";
import { Section } from "./overview.tsx";
import { useLoaded } from "./use-loaded.ts";

const mostShown = 60;

export function SettingsPanel({ session }: { session: OpenSession }): JSX.Element {
	const [search, setSearch] = useState("");
	const loaded = useLoaded(() => session.client.request("run_command", { name: "settings", args: "" }), []);
	/** Values that the session has not confirmed yet: a list that was asked for before shows the old ones. */
	const [pending, setPending] = useState<Readonly<Record<string, unknown>>>({});
	const rows = settingsIn(loaded.data?.data).filter(({ path }) =>
		path.toLowerCase().includes(search.toLowerCase()),
	);
	const lastChange = useRef(Promise.resolve());
	const apply = async (path: string, value: unknown): Promise<void> => {
		await attempt(session.client.request("set_setting", { path, value }));
		await loaded.reload();
		// A later change of the same setting waits for its own answer.
		setPending(({ [path]: mine, ...others }) => (mine === value ? others : { ...others, [path]: mine }));
	};
	// One after the other: the list that one change asks for would show the value before the next.
	const change = (path: string, value: unknown): void => {
		setPending((before) => ({ ...before, [path]: value }));
		lastChange.current = lastChange.current.then(() => apply(path, value));
	};
	return (
		<>
			<Section title="This page">
				<PageSettings />
				<div class="actions">
					<button type="button" class="chip" onClick={() => void attempt(signOut())}>
						Sign this browser out
					</button>
				</div>
			</Section>
			<Section title="This session">
				<input
					type="search"
					class="own-words"
					autofocus
					aria-label="Search settings"
					placeholder="Search settings"
					value={search}
					onInput={(event) => setSearch(event.currentTarget.value)}
				/>
				<Loading from={loaded} />
				<ul class="settings">
					{rows.slice(0, mostShown).map(({ path, value, choices }) => (
						<Setting
							key={path}
							path={path}
							value={Object.hasOwn(pending, path) ? pending[path] : value}
							choices={choices}
							onChange={(next) => change(path, next)}
						/>
					))}
				</ul>
				{rows.length > mostShown && <p class="muted">{rows.length - mostShown} more: search for them.</p>}
			</Section>
		</>
	);
}

function PageSettings(): JSX.Element {
	return (
		<ul class="settings">
			<li>
				<label>
					<span>Colors</span>
					<select
						value={theme.value}
						onChange={(event) => (theme.value = event.currentTarget.value as Theme)}
					>
						<option value="system">As the system</option>
						<option value="light">Light</option>
						<option value="dark">Dark</option>
					</select>
				</label>
			</li>
			<li>
				<label>
					<span>Changes side by side</span>
					<input
						type="checkbox"
						checked={sideBySide.value}
						onChange={(event) => (sideBySide.value = event.currentTarget.checked)}
					/>
				</label>
			</li>
			<li>
				<label>
					<span>Show thinking</span>
					<input
						type="checkbox"
						checked={showThinking.value}
						onChange={(event) => (showThinking.value = event.currentTarget.checked)}
					/>
				</label>
			</li>
			{pushState.value !== "unsupported" && (
				<li>
					<label>
						<span>Notify this device when a question waits</span>
						<input
							type="checkbox"
							checked={pushState.value === "on"}
							onChange={(event) =>
								void attempt(event.currentTarget.checked ? subscribeToPush() : unsubscribeFromPush())
							}
						/>
					</label>
				</li>
			)}
		</ul>
	);
}

interface SettingRow {
	readonly path: string;
	readonly value: unknown;
	/** The only values that it can have. */
	readonly choices: readonly string[];
}

function Setting({
	path,
	value,
	choices,
	onChange,
}: SettingRow & { onChange(value: unknown): void }): JSX.Element {
	return (
		<li>
			<label>
				<span>{path}</span>
				<SettingField value={value} choices={choices} onChange={onChange} />
			</label>
		</li>
	);
}

function SettingField({
	value,
	choices,
	onChange,
}: Omit<SettingRow, "path"> & { onChange(value: unknown): void }): JSX.Element {
	if (typeof value === "boolean")
		return (
			<input type="checkbox" checked={value} onChange={(event) => onChange(event.currentTarget.checked)} />
		);
	if (choices.length > 0 && typeof value === "string")
		return (
			<select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
				{choices.map((each) => (
					<option key={each} value={each}>
						{each}
					</option>
				))}
			</select>
		);
	if (typeof value === "number" || typeof value === "string")
		return <WrittenField value={value} onChange={onChange} />;
	return <code class="muted">{JSON.stringify(value)}</code>;
}

/** What is typed stays while the panel is drawn again, until Enter or another field takes it. */
function WrittenField({
	value,
	onChange,
}: {
	value: string | number;
	onChange(value: string | number): void;
}): JSX.Element {
	const [draft, setDraft] = useState<string>();
	const take = (): void => {
		setDraft(undefined);
		if (draft === undefined || draft === String(value)) return;
		if (typeof value === "string") onChange(draft);
		else if (draft.trim() !== "" && Number.isFinite(Number(draft))) onChange(Number(draft));
	};
	const shared = {
		value: draft ?? value,
		onInput: (event: TargetedInputEvent<HTMLInputElement>) => setDraft(event.currentTarget.value),
		onKeyDown: (event: KeyboardEvent) => {
			if (event.key === "Enter" && !event.isComposing) take();
		},
		onBlur: take,
	};
	return typeof value === "number" ? <input type="number" {...shared} /> : <input type="text" {...shared} />;
}

function settingsIn(data: unknown): SettingRow[] {
	if (!isRecord(data) || !Array.isArray(data.settings)) return [];
	return data.settings.flatMap((row: unknown) => {
		if (!isRecord(row) || typeof row.path !== "string") return [];
		const choices = Array.isArray(row.choices) ? row.choices.map(String) : [];
		return [{ path: row.path, value: row.value, choices }];
	});
}
