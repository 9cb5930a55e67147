/**
 * What the conformance suite starts as its client: it passes scenario and address on to the test, whose process already has
 * what a scenario needs (conformance-scenario.ts), and ends as the scenario does.
 */
const [test = "", url] = process.argv.slice(-2);
const { MCP_CONFORMANCE_SCENARIO: scenario = "", MCP_CONFORMANCE_CONTEXT: context = "{}" } = process.env;
const body = JSON.stringify({ scenario, context: JSON.parse(context), url });
const answer = await fetch(test, { method: "POST", body });
const { code, log } = (await answer.json()) as { code: number; log: string };
process.stderr.write(log);
process.exitCode = code;

export {};
