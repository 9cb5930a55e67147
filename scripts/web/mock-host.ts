/** `bun scripts/web/mock-host.ts [port]`: the page with played sessions, without a model and without a network. */
import { demoSessions, startMockHost } from "@tau/web/testing";

const host = await startMockHost(demoSessions(), Number(process.argv[2] ?? 4816));
process.stdout.write(`${host.url}#/s/parser\n`);
