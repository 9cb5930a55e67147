/**
 * Records who has called whom, for `scripts/hops/main.ts`: loaded before Tau, it makes each function of the packages say
 * when it runs. Who called is known across waits and timers, too, which a stack trace is not.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { appendFileSync, readFileSync } from "node:fs";

import { plugin } from "bun";
import ts from "typescript-5";

import { hopsFile, type Reached } from "./reached.ts";

interface Call {
	/** `package/src/file.ts:name` */
	id: string;
	by: Call | undefined;
}

/** The functions whose callers are asked for; `fetch` is one, too. */
const recorded: ReadonlySet<string> = new Set([
	"tui/src/terminal/output.ts:#take",
	"utils/src/event-stream.ts:push",
]);
/** What a long-running timer has been called by is of no interest. */
const mostCalls = 400;

const running = new AsyncLocalStorage<Call>();

function record(id: string, call: Call | undefined): void {
	const callers: string[] = [];
	for (let at = call; at && callers.length < mostCalls; at = at.by) callers.push(at.id);
	const reached: Reached = { id, callers };
	appendFileSync(process.env[hopsFile] ?? "/dev/null", `${JSON.stringify(reached)}\n`);
}

function enter(id: string, run: () => unknown): unknown {
	const call: Call = { id, by: running.getStore() };
	if (recorded.has(id)) record(id, call.by);
	return running.run(call, run);
}

const { fetch } = globalThis;
const watchedFetch = (...asked: Parameters<typeof fetch>): ReturnType<typeof fetch> => {
	record("fetch", running.getStore());
	return fetch(...asked);
};
Object.assign(globalThis, { __enter: enter, fetch: Object.assign(watchedFetch, fetch) });

type Traced = ts.FunctionDeclaration | ts.MethodDeclaration | ts.FunctionExpression | ts.ArrowFunction;

/** Generators run inside of who reads them, and a constructor cannot be called from a function within it. */
function isTraced(node: ts.Node): node is Traced {
	const isFunction =
		ts.isFunctionDeclaration(node) ||
		ts.isMethodDeclaration(node) ||
		ts.isFunctionExpression(node) ||
		ts.isArrowFunction(node);
	return isFunction && node.body !== undefined && node.asteriskToken === undefined;
}

function nameOf(node: Traced): string {
	if (node.name) return node.name.getText();
	const { parent } = node;
	const isNamed = ts.isVariableDeclaration(parent) || ts.isPropertyDeclaration(parent);
	return isNamed ? parent.name.getText() : "(closure)";
}

/** `{ body }` becomes `{ return __enter(id, () => { body }) }`. */
function traced(node: Traced, body: ts.ConciseBody, file: string): ts.Block {
	const { factory } = ts;
	const isAsync = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) === true;
	const modifiers = isAsync ? [factory.createModifier(ts.SyntaxKind.AsyncKeyword)] : undefined;
	const inner = ts.isBlock(body) ? body : factory.createParenthesizedExpression(body);
	const run = factory.createArrowFunction(modifiers, undefined, [], undefined, undefined, inner);
	const id = factory.createStringLiteral(`${file}:${nameOf(node)}`);
	const call = factory.createCallExpression(factory.createIdentifier("__enter"), undefined, [id, run]);
	return factory.createBlock([factory.createReturnStatement(call)]);
}

function tracing(file: string): ts.TransformerFactory<ts.SourceFile> {
	return (context) => {
		const visit = (node: ts.Node): ts.Node => {
			if (!isTraced(node) || !node.body) return ts.visitEachChild(node, visit, context);
			const { body } = node;
			const inner = (child: ts.Node): ts.Node =>
				child === body ? traced(node, ts.visitEachChild(body, visit, context), file) : visit(child);
			// A body that is an expression may be a function itself.
			return ts.visitEachChild(node, inner, context);
		};
		return (source) => ts.visitEachChild(source, visit, context);
	};
}

await plugin({
	name: "hops",
	setup(build) {
		build.onLoad({ filter: /\/packages\/[^/]+\/src\/.*\.ts$/ }, ({ path }) => ({
			loader: "js",
			contents: ts.transpileModule(readFileSync(path, "utf8"), {
				fileName: path,
				compilerOptions: {
					target: ts.ScriptTarget.ESNext,
					module: ts.ModuleKind.ESNext,
					verbatimModuleSyntax: true,
				},
				transformers: { before: [tracing(path.replace(/.*\/packages\//, ""))] },
			}).outputText,
		}));
	},
});
