/** The settings of the session, with a search; a change applies to this session alone. And those of this page. */
import { isRecord } from "@tau/utils/portable";
import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { pushState, subscribeToPush, unsubscribeFromPush } from "../offline/push.ts";
import type { OpenSession } from "../store/open-session.ts";
import { showThinking, sideBySide, theme, type Theme } from "../store/preferences.ts";
import { attempt } from "../store/toasts.ts";
import { Loading } from "./loading.tsx";
import { Section } from "./overview.tsx";
import { useLoaded } from "./use-loaded.ts";

const mostShown = 60;

export function SettingsPanel({ session }: { session: OpenSession }): JSX.Element {
	const [search, setSearch] = useState("");
	const loaded = useLoaded(() => session.client.request("run_command", { name: "settings", args: "" }), []);
	const rows = settingsIn(loaded.data?.data).filter(({ path }) =>
		path.toLowerCase().includes(search.toLowerCase()),
	);
	const change = async (path: string, value: unknown): Promise<void> => {
		await attempt(session.client.request("set_setting", { path, value }));
		loaded.reload();
	};
	return (
		<>
			<Section title="This page">
				<PageSettings />
			</Section>
			<Section title="This session">
				<input
					type="search"
					class="own-words"
					aria-label="Search settings"
					placeholder="Search settings"
					value={search}
					onInput={(event) => setSearch(event.currentTarget.value)}
				/>
				<Loading from={loaded} />
				<ul class="settings">
					{rows.slice(0, mostShown).map(({ path, value }) => (
						<Setting key={path} path={path} value={value} onChange={(next) => void change(path, next)} />
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

function Setting({
	path,
	value,
	onChange,
}: {
	path: string;
	value: unknown;
	onChange(value: unknown): void;
}): JSX.Element {
	const isSimple = ["boolean", "number", "string"].includes(typeof value);
	return (
		<li>
			<label>
				<span>{path}</span>
				{typeof value === "boolean" && (
					<input
						type="checkbox"
						checked={value}
						onChange={(event) => onChange(event.currentTarget.checked)}
					/>
				)}
				{typeof value === "number" && (
					<input
						type="number"
						value={value}
						onChange={(event) => onChange(Number(event.currentTarget.value))}
					/>
				)}
				{typeof value === "string" && (
					<input type="text" value={value} onChange={(event) => onChange(event.currentTarget.value)} />
				)}
				{!isSimple && <code class="muted">{JSON.stringify(value)}</code>}
			</label>
		</li>
	);
}

function settingsIn(data: unknown): { path: string; value: unknown }[] {
	if (!isRecord(data) || !Array.isArray(data.settings)) return [];
	return data.settings.flatMap((row: unknown) =>
		isRecord(row) && typeof row.path === "string" ? [{ path: row.path, value: row.value }] : [],
	);
}
