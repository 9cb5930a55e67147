/** The entry point of what programs are made with: all that pi's main package has of it, by its names. */
import { PiSession } from "./pi-session.ts";
import { FileAuthStorageBackend, InMemoryAuthStorageBackend } from "./auth-backend.ts";
import { AuthStorage } from "./auth-storage.ts";
import { loadProjectContextFiles } from "./context-files.ts";
import { createAgentSession, createAgentSessionFromServices } from "./create-agent-session.ts";
import { ExtensionRunner } from "./extension-runner.ts";
import {
	createExtensionRuntime,
	discoverAndLoadExtensions,
	wrapRegisteredTool,
	wrapRegisteredTools,
} from "./load-extensions.ts";
import { ModelRegistry } from "./model-registry.ts";
import {
	CredentialSynchronizationError,
	ModelRuntime,
	resolveCliModel,
	resolveModelScopeWithDiagnostics,
} from "./model-runtime.ts";
import { DefaultPackageManager } from "./package-manager.ts";
import { DefaultResourceLoader } from "./resource-loader.ts";
import { InteractiveMode, main, runPrintMode, runRpcMode } from "./run-modes.ts";
import { AgentSessionRuntime, createAgentSessionRuntime } from "./session-runtime.ts";
import { createAgentSessionServices } from "./session-services.ts";
import { SettingsManager } from "./settings-manager.ts";
import { formatSkillsForPrompt, loadSkills, loadSkillsFromDir, parseSkillBlock } from "./skills.ts";
import { hasTrustRequiringProjectResources, ProjectTrustStore } from "./trust-store.ts";

export function sdkExports(): Record<string, unknown> {
	return {
		AgentSession: PiSession,
		AgentSessionRuntime,
		AuthStorage,
		createAgentSession,
		createAgentSessionFromServices,
		createAgentSessionRuntime,
		createAgentSessionServices,
		createExtensionRuntime,
		CredentialSynchronizationError,
		DefaultPackageManager,
		DefaultResourceLoader,
		discoverAndLoadExtensions,
		ExtensionRunner,
		FileAuthStorageBackend,
		formatSkillsForPrompt,
		hasTrustRequiringProjectResources,
		InMemoryAuthStorageBackend,
		InteractiveMode,
		loadProjectContextFiles,
		loadSkills,
		loadSkillsFromDir,
		main,
		ModelRegistry,
		ModelRuntime,
		parseSkillBlock,
		ProjectTrustStore,
		readStoredCredential: (provider: string, authPath?: string) => AuthStorage.create(authPath).get(provider),
		resolveCliModel,
		resolveModelScopeWithDiagnostics,
		runPrintMode,
		runRpcMode,
		SettingsManager,
		wrapRegisteredTool,
		wrapRegisteredTools,
	};
}
