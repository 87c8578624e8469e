// Written by codegen/generate.ts from openapi/console.yaml (sha256 edcab3caf437d127bbf00e4346825780330d70255a8e2a4da8d32b2b80e348c2). Do not edit.
/**
 * Every operation by its operationId. `path` has its parameters in braces; `security` says which keys are accepted;
 * `limitClass` is the rate class it counts against; `statuses` are the documented ones; `body` is the kind of body
 * that it requires; `streams` says that a 200 may be an event stream.
 */
export const operations = {
  getSession: {"method":"get","path":"/settings/api/session","tag":"signing in","security":"session","limitClass":"member","roles":{"account":["owner","developer","viewer"],"operator":["operator","finance","viewer"]},"statuses":[200,401,403,429,503],"body":null,"streams":false},
  signOut: {"method":"delete","path":"/settings/api/session","tag":"signing in","security":"session-csrf","limitClass":"member","roles":{"account":["owner","developer","viewer"],"operator":["operator","finance","viewer"]},"statuses":[204,401,403,429,503],"body":null,"streams":false},
  signInWithLink: {"method":"post","path":"/settings/api/sign-in/link","tag":"signing in","security":"open","limitClass":"sign-in","statuses":[200,400,401,403,413,429,503],"body":"json","streams":false},
  signInWithPassword: {"method":"post","path":"/settings/api/sign-in/password","tag":"signing in","security":"open","limitClass":"sign-in","statuses":[200,400,401,403,413,429,503],"body":"json","streams":false},
  setPassword: {"method":"put","path":"/settings/api/password","tag":"signing in","security":"session-csrf","limitClass":"member","roles":{"account":["owner","developer","viewer"],"operator":["operator","finance","viewer"]},"statuses":[204,400,401,403,413,429,503],"body":"json","streams":false},
  listSessions: {"method":"get","path":"/settings/api/sessions","tag":"signing in","security":"session","limitClass":"member","roles":{"account":["owner","developer","viewer"],"operator":["operator","finance","viewer"]},"statuses":[200,401,403,429,503],"body":null,"streams":false},
  revokeSession: {"method":"delete","path":"/settings/api/sessions/{id}","tag":"signing in","security":"session-csrf","limitClass":"member","roles":{"account":["owner","developer","viewer"],"operator":["operator","finance","viewer"]},"statuses":[204,401,403,404,429,503],"body":null,"streams":false},
  listKeys: {"method":"get","path":"/settings/api/keys","tag":"keys","security":"session","limitClass":"member","roles":{"account":["owner","developer","viewer"],"operator":[]},"statuses":[200,401,403,429,503],"body":null,"streams":false},
  createKey: {"method":"post","path":"/settings/api/keys","tag":"keys","security":"session-csrf","limitClass":"member","roles":{"account":["owner","developer"],"operator":[]},"statuses":[201,400,401,403,413,429,503],"body":"json","streams":false},
  revokeKey: {"method":"delete","path":"/settings/api/keys/{id}","tag":"keys","security":"session-csrf","limitClass":"member","roles":{"account":["owner","developer"],"operator":[]},"statuses":[204,401,403,404,429,503],"body":null,"streams":false},
  listMembers: {"method":"get","path":"/settings/api/members","tag":"members","security":"session","limitClass":"member","roles":{"account":["owner","developer","viewer"],"operator":[]},"statuses":[200,401,403,429,503],"body":null,"streams":false},
  inviteMember: {"method":"post","path":"/settings/api/members","tag":"members","security":"session-csrf","limitClass":"member","roles":{"account":["owner"],"operator":[]},"statuses":[201,400,401,403,413,429,503],"body":"json","streams":false},
  removeMember: {"method":"delete","path":"/settings/api/members/{id}","tag":"members","security":"session-csrf","limitClass":"member","roles":{"account":["owner"],"operator":[]},"statuses":[204,400,401,403,404,429,503],"body":null,"streams":false},
  getBalance: {"method":"get","path":"/settings/api/balance","tag":"billing","security":"session","limitClass":"member","roles":{"account":["owner","viewer"],"operator":[]},"statuses":[200,401,403,429,503],"body":null,"streams":false},
  listPayments: {"method":"get","path":"/settings/api/payments","tag":"billing","security":"session","limitClass":"member","roles":{"account":["owner","viewer"],"operator":[]},"statuses":[200,401,403,429,503],"body":null,"streams":false},
  startCheckout: {"method":"post","path":"/settings/api/payments/checkout","tag":"billing","security":"session-csrf","limitClass":"member","roles":{"account":["owner"],"operator":[]},"statuses":[201,400,401,403,404,413,429,503],"body":"json","streams":false},
  receiveStripeEvent: {"method":"post","path":"/payments/stripe/webhook","tag":"billing","security":"open","limitClass":"webhook","statuses":[200,400,404,413,429,503],"body":"json","streams":false},
  listMemberOrders: {"method":"get","path":"/settings/api/orders","tag":"activity","security":"session","limitClass":"member","roles":{"account":["owner","developer","viewer"],"operator":[]},"statuses":[200,400,401,403,429,503],"body":null,"streams":false},
  getOverview: {"method":"get","path":"/console/api/overview","tag":"overview","security":"session","limitClass":"member","roles":{"account":[],"operator":["operator","finance","viewer"]},"statuses":[200,401,403,429,503],"body":null,"streams":false},
  getBook: {"method":"get","path":"/console/api/book","tag":"overview","security":"session","limitClass":"member","roles":{"account":[],"operator":["operator","finance","viewer"]},"statuses":[200,400,401,403,429,503],"body":null,"streams":false},
  listAccounts: {"method":"get","path":"/console/api/accounts","tag":"accounts","security":"session","limitClass":"member","roles":{"account":[],"operator":["operator","finance","viewer"]},"statuses":[200,400,401,403,429,503],"body":null,"streams":false},
  createAccount: {"method":"post","path":"/console/api/accounts","tag":"accounts","security":"session-csrf","limitClass":"member","roles":{"account":[],"operator":["operator"]},"statuses":[201,400,401,403,413,429,503],"body":"json","streams":false},
  showAccount: {"method":"get","path":"/console/api/accounts/{id}","tag":"accounts","security":"session","limitClass":"member","roles":{"account":[],"operator":["operator","finance","viewer"]},"statuses":[200,401,403,404,429,503],"body":null,"streams":false},
  suspendAccount: {"method":"post","path":"/console/api/accounts/{id}/suspend","tag":"accounts","security":"session-csrf","limitClass":"member","roles":{"account":[],"operator":["operator"]},"statuses":[200,401,403,404,429,503],"body":null,"streams":false},
  resumeAccount: {"method":"post","path":"/console/api/accounts/{id}/resume","tag":"accounts","security":"session-csrf","limitClass":"member","roles":{"account":[],"operator":["operator"]},"statuses":[200,401,403,404,429,503],"body":null,"streams":false},
  creditAccount: {"method":"post","path":"/console/api/accounts/{id}/credit","tag":"accounts","security":"session-csrf","limitClass":"member","roles":{"account":[],"operator":["operator","finance"]},"statuses":[200,400,401,403,404,409,413,429,503],"body":"json","streams":false},
  refundAccount: {"method":"post","path":"/console/api/accounts/{id}/refund","tag":"accounts","security":"session-csrf","limitClass":"member","roles":{"account":[],"operator":["operator","finance"]},"statuses":[200,400,401,403,404,409,413,429,503],"body":"json","streams":false},
  listAccountOrders: {"method":"get","path":"/console/api/orders","tag":"sold orders","security":"session","limitClass":"member","roles":{"account":[],"operator":["operator","finance","viewer"]},"statuses":[200,400,401,403,404,429,503],"body":null,"streams":false},
  showOrder: {"method":"get","path":"/console/api/orders/{id}","tag":"sold orders","security":"session","limitClass":"member","roles":{"account":[],"operator":["operator","finance","viewer"]},"statuses":[200,401,403,404,429,503],"body":null,"streams":false},
  listChanges: {"method":"get","path":"/console/api/audit-log","tag":"audit log","security":"session","limitClass":"member","roles":{"account":[],"operator":["operator","finance","viewer"]},"statuses":[200,400,401,403,429,503],"body":null,"streams":false},
  listPods: {"method":"get","path":"/console/api/pods","tag":"pods","security":"session","limitClass":"member","roles":{"account":[],"operator":["operator","finance","viewer"]},"statuses":[200,401,403,429,503],"body":null,"streams":false},
  drainPod: {"method":"post","path":"/console/api/pods/{id}/drain","tag":"pods","security":"session-csrf","limitClass":"member","roles":{"account":[],"operator":["operator"]},"statuses":[200,401,403,404,429,503],"body":null,"streams":false},
  resumePod: {"method":"post","path":"/console/api/pods/{id}/resume","tag":"pods","security":"session-csrf","limitClass":"member","roles":{"account":[],"operator":["operator"]},"statuses":[200,401,403,404,429,503],"body":null,"streams":false},
  setPodSlots: {"method":"post","path":"/console/api/pods/{id}/slots","tag":"pods","security":"session-csrf","limitClass":"member","roles":{"account":[],"operator":["operator"]},"statuses":[200,400,401,403,404,413,429,503],"body":"json","streams":false},
  getConfiguration: {"method":"get","path":"/console/api/configuration","tag":"configuration","security":"session","limitClass":"member","roles":{"account":[],"operator":["operator","finance","viewer"]},"statuses":[200,401,403,429,503],"body":null,"streams":false},
  getConsoleOpenapi: {"method":"get","path":"/console/openapi.json","tag":"system","security":"open","limitClass":"document","statuses":[200,429],"body":null,"streams":false},
} as const;

/** The name of an operation. */
export type OperationId = keyof typeof operations;
/** A rate class that requests count against. */
export type LimitClass = (typeof operations)[OperationId]['limitClass'];
