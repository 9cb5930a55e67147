/** What the interactive mode of one program takes: Tau's, or that of a peer, measured in the same way. */
import { playModel, type Scenario, type Step } from "@tau/ai/testing";

import { homeFor, modelName, type ModelServer } from "./home.ts";
import { median, Program, type Start } from "./program.ts";
import { prose } from "./prose.ts";
import { thisBuild, type Build } from "./release.ts";

/** Nothing that a program draws by itself has it. */
const probe = "zqzq";
/** One word: programs may draw words one by one. */
const end = "endmark";
/** After the last key: Bun's collector looks around once a second, until it has found nothing to do thirty times. */
const settleMs = 40_000;

export interface Contender {
	name: string;
	/** A home whose only model is the played one, and the command that uses it. */
	start(played: ModelServer): Start & Disposable;
	/** How often it is started to find the middle. */
	rounds: number;
}

/** Tau itself: this one, or a release. */
export function tauOf({ name, tau }: Build): Contender {
	return {
		name,
		rounds: 15,
		start(played) {
			const home = homeFor(played);
			const env = { ...home.env, TAU_NO_TITLE: "1" };
			return {
				command: [tau, "--model", modelName],
				cwd: home.project,
				env,
				[Symbol.dispose]: () => home[Symbol.dispose](),
			};
		},
	};
}

export const ourselves = tauOf(thisBuild);

export interface Figures {
	launchMs: number;
	keyMs: number;
	streamingKeyMs: number;
	idleMs: number;
	residentMB: number;
	answerCpuMs: number;
	answerBytes: number;
	slowCpuMs: number;
	slowBytes: number;
}

export async function figuresOf(contender: Contender): Promise<Figures> {
	const launchMs = await launching(contender);
	const atRest = await resting(contender);
	const fast = await answering(contender, { chars: 200_000, chunks: 4000 });
	// Ten seconds, as a model talks.
	const slow = await answering(contender, { chars: 20_000, chunks: 500, delayMs: 20 });
	return {
		launchMs,
		...atRest,
		answerCpuMs: fast.cpuMs,
		answerBytes: fast.bytes,
		slowCpuMs: slow.cpuMs,
		slowBytes: slow.bytes,
	};
}

async function launching({ start, rounds }: Contender): Promise<number> {
	await using played = await playModel({ steps: [], fallback: { answer: "hi" } });
	using place = start(played);
	const times: number[] = [];
	for (let round = -1; round < rounds; round++) {
		const started = performance.now();
		await using program = new Program(place);
		await program.untilTyped(probe);
		if (round >= 0) times.push(performance.now() - started);
	}
	return median(times);
}

type AtRest = Pick<Figures, "keyMs" | "streamingKeyMs" | "idleMs" | "residentMB">;

async function resting(contender: Contender): Promise<AtRest> {
	const long = answerOf({ blocks: [{ text: prose(200_000), chunks: 4000 }], delayMs: 2 });
	return opened(contender, long, async (program) => {
		const keyMs = await program.keyMs();
		await Bun.sleep(settleMs);
		const cpu = program.cpuMs();
		await Bun.sleep(10_000);
		const [idleMs, residentMB] = [program.cpuMs() - cpu, program.residentMB()];
		await program.send("\x15go");
		await program.until("heading");
		return { keyMs, idleMs, residentMB, streamingKeyMs: await program.keyMs() };
	});
}

export interface Answer {
	chars: number;
	chunks: number;
	delayMs?: number;
}

export async function answering(
	contender: Contender,
	{ chars, chunks, delayMs }: Answer,
): Promise<{ cpuMs: number; bytes: number }> {
	const blocks = [{ text: `${prose(chars)}\n\n${end}`, chunks }];
	const scenario = answerOf({ blocks, ...(delayMs === undefined ? {} : { delayMs }) });
	return opened(contender, scenario, async (program) => {
		const [cpu, bytes] = [program.cpuMs(), program.bytes];
		await program.send("\x15go");
		await program.until(end);
		await Bun.sleep(100);
		return { cpuMs: program.cpuMs() - cpu, bytes: program.bytes - bytes };
	});
}

/** For the conversation itself, in which there are tools; some programs ask for a title before that. */
function answerOf(answer: Exclude<Step["answer"], string | undefined>): Scenario {
	const when = { bodyContains: '"tools":[{' };
	return { steps: [{ answer, when, times: "always" }], fallback: { answer: "hi" } };
}

/** Takes keys, and has nothing more to load. */
async function opened<Result>(
	{ start }: Contender,
	scenario: Scenario,
	work: (program: Program) => Promise<Result>,
): Promise<Result> {
	await using played = await playModel(scenario);
	using place = start(played);
	await using program = new Program(place);
	await program.untilTyped(probe);
	await Bun.sleep(1000);
	return await work(program);
}
