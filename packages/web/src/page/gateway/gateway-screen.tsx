/** The gateway of this machine: whether it runs, its keys with their limits, and what they have used. */
import { money, plural, tokens } from "@tau/utils/portable";
import type { JSX } from "preact";

import { Loading } from "../panels/loading.tsx";
import { useLoaded } from "../panels/use-loaded.ts";
import { ListButtons } from "../shell/list-buttons.tsx";
import { call } from "../store/api.ts";
import { attempt } from "../store/toasts.ts";
import { Table } from "../usage/tables.tsx";

interface Amounts {
	readonly requests: number;
	readonly input: number;
	readonly output: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	readonly cost: number;
}

interface Account {
	readonly today: Amounts;
	readonly thisMonth: Amounts;
}

interface Key extends Account {
	readonly id: string;
	readonly name: string;
	readonly models: readonly string[];
	readonly budgetPerDay?: number;
	readonly budgetPerMonth?: number;
	readonly requestsPerMinute?: number;
	readonly tokensPerMinute?: number;
	readonly expiresAt?: number;
	readonly revokedAt?: number;
}

interface Gateway {
	readonly url: string;
	readonly isRunning: boolean;
	/** Absent where no gateway was ever used. */
	readonly keys?: readonly Key[];
	readonly owner?: Account;
}

export function GatewayScreen(): JSX.Element {
	const loaded = useLoaded(() => call<Gateway>("GET", "/api/gateway"), []);
	const { data } = loaded;
	return (
		<main class="usage-screen" aria-busy={data === undefined}>
			<header class="bar">
				<ListButtons />
				<div class="bar-title">
					<h1>Gateway</h1>
					<p class="bar-facts" role="status">
						{data && (data.isRunning ? `Answers at ${data.url}` : `Does not answer at ${data.url}`)}
					</p>
				</div>
			</header>
			<div class="usage-body" tabIndex={0} role="group" aria-label="Gateway">
				<Loading from={loaded} />
				{data && !data.isRunning && (
					<p class="muted">
						<code>tau auth-gateway serve</code> lets other programs use your models through one address.
					</p>
				)}
				{data && <Cards {...data} />}
				{data && <Keys keys={data.keys ?? []} onChange={loaded.reload} />}
			</div>
		</main>
	);
}

function Cards({ keys = [], owner }: Gateway): JSX.Element {
	const accounts = [...keys, ...(owner ? [owner] : [])];
	return (
		<dl class="usage-cards">
			{(["today", "thisMonth"] as const).map((period) => (
				<div key={period} class="usage-card">
					<dt>{period === "today" ? "Today" : "This month"}</dt>
					<dd class="usage-value">{money(sum(accounts, (each) => each[period].cost))}</dd>
					<dd class="muted">
						{plural(
							sum(accounts, (each) => each[period].requests),
							"request",
						)}
						, {tokens(sum(accounts, (each) => tokenCount(each[period])))} tokens
					</dd>
				</div>
			))}
			<div class="usage-card">
				<dt>With the token</dt>
				<dd class="usage-value">{money(owner?.thisMonth.cost ?? 0)}</dd>
				<dd class="muted">this month, without a key</dd>
			</div>
		</dl>
	);
}

function Keys({ keys, onChange }: { keys: readonly Key[]; onChange: () => void }): JSX.Element {
	if (keys.length === 0)
		return (
			<p class="muted">
				There are no keys. <code>tau auth-gateway key create</code> makes one.
			</p>
		);
	return (
		<Table
			title="Keys"
			hasActions
			rows={keys}
			keyOf={({ id }) => id}
			columns={[
				{ name: "Key", cell: ({ id, name }) => <span class="wrapped">{name || id}</span>, isText: true },
				{ name: "State", cell: stateOf, isText: true },
				{
					name: "Models",
					cell: ({ models }) => <span class="wrapped">{models.join(", ") || "all"}</span>,
					isText: true,
				},
				{
					name: "Limits",
					cell: (key) => <span class="wrapped">{limitsOf(key) || "none"}</span>,
					isText: true,
				},
				{ name: "Today", cell: ({ today }) => money(today.cost) },
				{ name: "This month", cell: ({ thisMonth }) => money(thisMonth.cost) },
				{ name: "Action", cell: (key) => <RevokeButton of={key} onChange={onChange} /> },
			]}
		/>
	);
}

function RevokeButton({ of: key, onChange }: { of: Key; onChange: () => void }): JSX.Element | null {
	if (key.revokedAt !== undefined) return null;
	const revoke = async (): Promise<void> => {
		await call("POST", `/api/gateway/keys/${encodeURIComponent(key.id)}/revoke`);
		onChange();
	};
	return (
		<button type="button" aria-label={`Revoke ${key.name || key.id}`} onClick={() => void attempt(revoke())}>
			Revoke
		</button>
	);
}

function stateOf({ revokedAt, expiresAt }: Key): string {
	if (revokedAt !== undefined) return "revoked";
	if (expiresAt === undefined) return "valid";
	return expiresAt <= Date.now() ? "expired" : `until ${new Date(expiresAt).toISOString().slice(0, 10)}`;
}

function limitsOf({ budgetPerDay, budgetPerMonth, requestsPerMinute, tokensPerMinute }: Key): string {
	return [
		budgetPerDay === undefined ? "" : `$${budgetPerDay} a day`,
		budgetPerMonth === undefined ? "" : `$${budgetPerMonth} a month`,
		requestsPerMinute === undefined ? "" : `${plural(requestsPerMinute, "request")} a minute`,
		tokensPerMinute === undefined ? "" : `${tokens(tokensPerMinute)} tokens a minute`,
	]
		.filter(Boolean)
		.join(", ");
}

function tokenCount({ input, output, cacheRead, cacheWrite }: Amounts): number {
	return input + output + cacheRead + cacheWrite;
}

function sum<T>(all: readonly T[], value: (each: T) => number): number {
	return all.reduce((total, each) => total + value(each), 0);
}
