/** The debug adapters that Tau knows. */
import { dirname } from "node:path";

import type { AdapterRow, AttachTarget, LaunchTarget } from "./adapter-row.ts";

const common = ({ program, args, cwd, stopOnEntry }: LaunchTarget) => ({ program, args, cwd, stopOnEntry });
const pairs = (env: Readonly<Record<string, string>>): string[] =>
	Object.entries(env).map(([name, value]) => `${name}=${value}`);
const byPid = ({ pid }: AttachTarget) => (pid === undefined ? {} : { pid });
const byProcessId = ({ pid }: AttachTarget) => (pid === undefined ? {} : { processId: pid });

/** Expressions of the program's language, where codelldb would expect commands of lldb or its own syntax. */
const nativeExpressions = { expressions: "native", _adapterSettings: { consoleMode: "evaluate" } };

/** It warns of frozen modules, and where a distribution has taken it apart, of each of its own files. */
const debugpyNoise =
	/^(?:\d+\.\d+s - (?:Debugger warning: It seems that frozen|make the debugger miss|to python to disable frozen|Note: Debugging will proceed)|.*\/force_pydevd\.py:\d+: UserWarning: incompatible copy of pydevd|\s+\/\S*\/_?pydev\S*\.(?:py|so)$|\s+warnings\.warn\(msg \+ ':\\n)/;

/** The note of an ELF file with Go's build id, or the text that other formats have instead. */
function isGoExecutable(head: Uint8Array): boolean {
	const text = Buffer.from(head).toString("latin1");
	return (
		text.includes("\x04\0\0\0Go\0\0") ||
		text.includes('\xff Go build ID: "') ||
		text.includes("\xff Go buildinf:")
	);
}

export const adapterTable: readonly AdapterRow[] = [
	{
		name: "debugpy",
		files: [".py", ".pyw"],
		command: ["python3", "-m", "debugpy.adapter"],
		alsoCalled: ["python"],
		probe: { args: ["-c", "import debugpy"] },
		noise: debugpyNoise,
		install: "pip install debugpy, or apt-get install python3-debugpy",
		type: "python",
		runner: ["python3"],
		launch: (target) => ({
			...common(target),
			env: target.env,
			python: [target.adapterProgram],
			console: "internalConsole",
			redirectOutput: true,
			justMyCode: true,
		}),
		attach: (target) => ({ ...byProcessId(target), justMyCode: true }),
		// A child inherits the output of its parent, or its parent reads it.
		childConfiguration: { redirectOutput: false },
	},
	{
		name: "js-debug",
		files: [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"],
		command: ["js-debug", "0", "127.0.0.1"],
		alsoCalled: ["js-debug-adapter", "js-debug-dap"],
		alsoAt: [
			".local/share/js-debug/src/dapDebugServer.js",
			".local/share/nvim/mason/packages/js-debug-adapter/js-debug/src/dapDebugServer.js",
			".local/share/zed/debug_adapters/JavaScript/*/js-debug/src/dapDebugServer.js",
		],
		scriptRunner: "node",
		tcp: true,
		refusedInSandbox: "Unix sockets",
		install:
			"js-debug-dap of https://github.com/microsoft/vscode-js-debug/releases, unpacked as ~/.local/share/js-debug",
		type: "pwa-node",
		runner: ["node"],
		launch: (target) => ({
			...common(target),
			env: target.env,
			console: "internalConsole",
			skipFiles: ["<node_internals>/**"],
			sourceMaps: true,
		}),
		attach: ({ pid, host, port }) =>
			pid === undefined
				? { address: host, port, skipFiles: ["<node_internals>/**"] }
				: `js-debug attaches by port. After "kill -USR1 ${pid}", Node listens on 9229, unless another program does.`,
		attachesByPort: true,
		exceptions: ["uncaught"],
	},
	{
		name: "delve",
		files: [".go"],
		builtFrom: isGoExecutable,
		printsOutput: true,
		command: ["dlv", "dap", "--listen=127.0.0.1:0"],
		tcp: true,
		refusedInSandbox: "tracing",
		install: "go install github.com/go-delve/delve/cmd/dlv@latest",
		type: "go",
		runner: ["go", "run"],
		launch: (target) => ({
			...common(target),
			...(target.program.endsWith(".go")
				? { mode: "debug", program: dirname(target.program) }
				: { mode: "exec" }),
			env: target.env,
		}),
		attach: (target) => ({ mode: target.pid === undefined ? "remote" : "local", ...byProcessId(target) }),
	},
	{
		name: "lldb-dap",
		files: [],
		native: true,
		refusedInSandbox: "tracing",
		command: ["lldb-dap"],
		alsoCalled: [
			...["22", "21", "20", "19", "18"].map((version) => `lldb-dap-${version}`),
			"lldb-vscode",
			...["17", "16", "15", "14"].map((version) => `lldb-vscode-${version}`),
		],
		install: "apt-get install lldb, or xcode-select --install",
		type: "lldb-dap",
		launch: (target) => ({ ...common(target), env: pairs(target.env) }),
		attach: byPid,
	},
	{
		name: "gdb",
		files: [],
		native: true,
		refusedInSandbox: "tracing",
		command: ["gdb", "--interpreter=dap", "--quiet"],
		probe: { args: ["--version"], atLeast: 14 },
		install: "apt-get install gdb (14 or newer)",
		type: "gdb",
		launch: ({ stopOnEntry, ...target }) => ({
			...common({ ...target, stopOnEntry }),
			env: target.env,
			stopAtBeginningOfMainSubprogram: stopOnEntry,
		}),
		attach: byPid,
	},
	{
		name: "codelldb",
		files: [".rs"],
		native: true,
		refusedInSandbox: "tracing",
		command: ["codelldb"],
		alsoAt: [
			".local/share/nvim/mason/packages/codelldb/extension/adapter/codelldb",
			...[".vscode", ".vscode-server", ".vscode-oss", ".cursor"].map(
				(editor) => `${editor}/extensions/vadimcn.vscode-lldb-*/adapter/codelldb`,
			),
			".local/share/zed/debug_adapters/CodeLLDB/*/extension/adapter/codelldb",
		],
		install: "the VS Code extension vadimcn.vscode-lldb, or Mason: codelldb",
		type: "lldb",
		launch: (target) => ({ ...common(target), env: target.env, terminal: "console", ...nativeExpressions }),
		attach: (target) => ({ ...byPid(target), ...nativeExpressions }),
	},
	{
		name: "netcoredbg",
		files: [".dll"],
		command: ["netcoredbg", "--interpreter=vscode"],
		install: "https://github.com/Samsung/netcoredbg/releases",
		type: "coreclr",
		runner: ["dotnet"],
		launch: ({ program, args, ...target }) => ({
			...common({ program: "dotnet", args: [program, ...args], ...target }),
			env: target.env,
			stopAtEntry: target.stopOnEntry,
		}),
		attach: byProcessId,
	},
	{
		name: "dart",
		files: [".dart"],
		command: ["dart", "debug_adapter"],
		install: "https://dart.dev/get-dart",
		type: "dart",
		runner: ["dart", "run"],
		launch: (target) => ({ ...common(target), env: target.env, console: "debugConsole" }),
	},
];
