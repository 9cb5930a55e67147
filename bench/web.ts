/** What the page costs a browser: a long answer as it is written, a long session, and keys meanwhile. */
import { factsOf, MockSession, startMockHost, stream, user, answer, text } from "@tau/web/testing";
import type { Page } from "puppeteer-core";

import { launchChromium, until, untilText } from "../test/web/chromium.ts";
import { prose } from "./prose.ts";
import { median } from "./program.ts";
import type { Row } from "./report.ts";

const rounds = 3;
const messages = 10_000;

export async function page(): Promise<Row[]> {
	await using host = await startMockHost([]);
	await using chromium = await launchChromium();
	const opened = async (id: string, fill: (session: MockSession) => void): Promise<[MockSession, Page]> => {
		const session = new MockSession(factsOf(id, id));
		session.handlers.list_commands = () => ({ commands: [] });
		fill(session);
		host.sessions.set(id, session);
		return [session, await chromium.open(`${host.url}#/s/${id}`)];
	};
	/** Milliseconds of the main thread, and megabytes afterwards. */
	const streamed = async (id: string, chars: number, deltas: number): Promise<{ ms: number; MB: number }> => {
		const [session, tab] = await opened(id, (each) => void each.message(user("Write")));
		await untilText(tab, "Write");
		const before = (await tab.metrics()).TaskDuration ?? 0;
		await stream(session, `${prose(chars)}\n\nThat is all.`, deltas, () => Bun.sleep(0));
		// Not by its text: to ask for that lays out all that is out of sight, and would be most of what is measured.
		await tab.waitForFunction("document.querySelector('.transcript')?.ariaBusy === 'false'", { polling: 50 });
		const after = await tab.metrics();
		await tab.close();
		return { ms: ((after.TaskDuration ?? 0) - before) * 1000, MB: (after.JSHeapUsedSize ?? 0) / 1e6 };
	};
	const half: number[] = [];
	const whole: { ms: number; MB: number }[] = [];
	for (let round = 0; round < rounds; round++) {
		half.push((await streamed(`half${round}`, 100_000, 2000)).ms);
		whole.push(await streamed(`whole${round}`, 200_000, 4000));
	}
	const cost = median(whole.map(({ ms }) => ms));
	const long = await longSession(opened);
	return [
		{ name: "200 KB in 4,000 deltas, main thread", value: cost, unit: "ms", budget: 500 },
		{ name: "the same to half of it", value: cost / median(half), unit: "x", budget: 2.2 },
		{ name: "heap after it", value: median(whole.map(({ MB }) => MB)), unit: "MB", budget: 60 },
		{ name: "10,000 messages to the first screen", value: long.ms, unit: "ms", budget: 300 },
		{ name: "elements of 10,000 messages", value: long.nodes, unit: "", budget: 3000 },
	];
}

type Open = (id: string, fill: (session: MockSession) => void) => Promise<[MockSession, Page]>;

async function longSession(opened: Open): Promise<{ ms: number; nodes: number }> {
	const times: number[] = [];
	let nodes = 0;
	for (let round = 0; round < rounds; round++) {
		const [, tab] = await opened(`long${round}`, (session) => {
			for (let at = 0; at < messages / 2; at++) {
				session.message(user(`Question ${at}`));
				session.message(answer([text(`Answer ${at}: ${prose(600)}`)]));
			}
		});
		await until(tab, "document.querySelector('.row-text .block') !== null");
		times.push(Number(await tab.evaluate("performance.now()")));
		nodes = Number(await tab.evaluate("document.querySelectorAll('*').length"));
		await tab.close();
	}
	return { ms: median(times), nodes };
}
