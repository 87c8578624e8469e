// Written by codegen/generate.ts from openapi.yaml (sha256 ec47eca0e305238f53faa87c677f24c6055436a4fbc382c848a3d32dfdad8e4f). Do not edit.
/**
 * Every operation by its operationId. `path` has its parameters in braces; `security` says which keys are accepted;
 * `limitClass` is the rate class it counts against; `scope` says what its key must be allowed; `statuses` are the
 * documented ones; `body` is the kind of body that it requires; `streams` says that a 200 may be an event stream.
 */
export const operations = {
  createChatCompletion: {"method":"post","path":"/v1/chat/completions","tag":"inference","security":"key","limitClass":"inference","scope":"inference","statuses":[200,202,203,400,401,402,403,404,408,409,410,413,429,500,502,503],"body":"json","streams":true},
  createCompletion: {"method":"post","path":"/v1/completions","tag":"inference","security":"key","limitClass":"inference","scope":"inference","statuses":[200,202,203,400,401,402,403,404,408,409,410,413,429,500,502,503],"body":"json","streams":true},
  createResponse: {"method":"post","path":"/v1/responses","tag":"inference","security":"key","limitClass":"inference","scope":"inference","statuses":[200,203,400,401,402,403,404,408,409,410,413,429,500,502,503],"body":"json","streams":true},
  getResponse: {"method":"get","path":"/v1/responses/{id}","tag":"inference","security":"key","limitClass":"account","scope":"read","statuses":[200,400,401,403,404,409,410,429,503],"body":null,"streams":true},
  cancelResponse: {"method":"post","path":"/v1/responses/{id}/cancel","tag":"inference","security":"key","limitClass":"account","scope":"change","statuses":[200,401,403,404,409,429,503],"body":null,"streams":false},
  createMessage: {"method":"post","path":"/v1/messages","tag":"inference","security":"key-or-header","limitClass":"inference","scope":"inference","statuses":[200,203,400,401,402,403,404,408,409,410,413,429,500,502,503],"body":"json","streams":true},
  countMessageTokens: {"method":"post","path":"/v1/messages/count_tokens","tag":"inference","security":"key-or-header","limitClass":"inference","scope":"inference","statuses":[200,400,401,403,404,413,429,503],"body":"json","streams":false},
  listOrders: {"method":"get","path":"/v1/orders","tag":"orders","security":"key","limitClass":"account","scope":"read","statuses":[200,400,401,403,429,503],"body":null,"streams":false},
  repriceOrders: {"method":"post","path":"/v1/orders/price","tag":"orders","security":"key","limitClass":"account","scope":"change","statuses":[200,400,401,403,413,429,503],"body":"json","streams":false},
  getOrder: {"method":"get","path":"/v1/orders/{id}","tag":"orders","security":"key","limitClass":"account","scope":"read","statuses":[200,400,401,403,404,429,503],"body":null,"streams":false},
  getOrderResult: {"method":"get","path":"/v1/orders/{id}/result","tag":"orders","security":"key","limitClass":"account","scope":"read","statuses":[200,401,403,404,410,429,503],"body":null,"streams":false},
  deleteOrderResult: {"method":"delete","path":"/v1/orders/{id}/result","tag":"orders","security":"key","limitClass":"account","scope":"change","statuses":[200,401,403,404,409,429,503],"body":null,"streams":false},
  streamOrder: {"method":"get","path":"/v1/orders/{id}/stream","tag":"orders","security":"key","limitClass":"account","scope":"read","statuses":[200,400,401,403,404,409,410,429,503],"body":null,"streams":true},
  getOrderReceipt: {"method":"get","path":"/v1/orders/{id}/receipt","tag":"orders","security":"key","limitClass":"account","scope":"read","statuses":[200,401,403,404,409,429,503],"body":null,"streams":false},
  getSharedReceipt: {"method":"get","path":"/v1/receipts/{token}","tag":"orders","security":"open","limitClass":"public","statuses":[200,404,429,503],"body":null,"streams":false},
  cancelOrder: {"method":"post","path":"/v1/orders/{id}/cancel","tag":"orders","security":"key","limitClass":"account","scope":"change","statuses":[200,401,403,404,409,429,503],"body":null,"streams":false},
  getAccount: {"method":"get","path":"/v1/account","tag":"account","security":"key","limitClass":"account","scope":"read","statuses":[200,401,403,429,503],"body":null,"streams":false},
  updateAccount: {"method":"patch","path":"/v1/account","tag":"account","security":"key","limitClass":"account","scope":"manage","statuses":[200,400,401,403,413,429,503],"body":"json","streams":false},
  listUsage: {"method":"get","path":"/v1/usage","tag":"account","security":"key","limitClass":"account","scope":"read","statuses":[200,400,401,403,429,503],"body":null,"streams":false},
  uploadFile: {"method":"post","path":"/v1/files","tag":"files","security":"key","limitClass":"file","scope":"inference","statuses":[200,400,401,403,413,429,503],"body":"multipart","streams":false},
  listFiles: {"method":"get","path":"/v1/files","tag":"files","security":"key","limitClass":"file","scope":"read","statuses":[200,400,401,403,429,503],"body":null,"streams":false},
  getFile: {"method":"get","path":"/v1/files/{id}","tag":"files","security":"key","limitClass":"file","scope":"read","statuses":[200,401,403,404,429,503],"body":null,"streams":false},
  deleteFile: {"method":"delete","path":"/v1/files/{id}","tag":"files","security":"key","limitClass":"file","scope":"change","statuses":[200,401,403,404,409,429,503],"body":null,"streams":false},
  getFileContent: {"method":"get","path":"/v1/files/{id}/content","tag":"files","security":"key","limitClass":"file","scope":"read","statuses":[200,401,403,404,410,429,503],"body":null,"streams":false},
  createBatch: {"method":"post","path":"/v1/batches","tag":"batches","security":"key","limitClass":"batch","scope":"inference","statuses":[200,400,401,403,404,410,413,429,503],"body":"json","streams":false},
  listBatches: {"method":"get","path":"/v1/batches","tag":"batches","security":"key","limitClass":"account","scope":"read","statuses":[200,400,401,403,429,503],"body":null,"streams":false},
  getBatch: {"method":"get","path":"/v1/batches/{id}","tag":"batches","security":"key","limitClass":"account","scope":"read","statuses":[200,401,403,404,429,503],"body":null,"streams":false},
  cancelBatch: {"method":"post","path":"/v1/batches/{id}/cancel","tag":"batches","security":"key","limitClass":"account","scope":"change","statuses":[200,401,403,404,409,429,503],"body":null,"streams":false},
  listModels: {"method":"get","path":"/v1/models","tag":"models","security":"open","limitClass":"public","statuses":[200,304,429,503],"body":null,"streams":false},
  getModel: {"method":"get","path":"/v1/models/{model}","tag":"models","security":"open","limitClass":"public","statuses":[200,304,404,429,503],"body":null,"streams":false},
  getRateLimits: {"method":"get","path":"/v1/rate-limits","tag":"models","security":"open","limitClass":"public","statuses":[200,304,429,503],"body":null,"streams":false},
  redirectLimits: {"method":"get","path":"/v1/limits","tag":"models","security":"open","limitClass":"public","statuses":[308,429,503],"body":null,"streams":false},
  getMarket: {"method":"get","path":"/v1/market","tag":"market","security":"open","limitClass":"public","statuses":[200,304,400,429,503],"body":null,"streams":false},
  listLevels: {"method":"get","path":"/v1/market/levels","tag":"market","security":"open","limitClass":"public","statuses":[200,304,429,503],"body":null,"streams":false},
  streamMarket: {"method":"get","path":"/v1/market/stream","tag":"market","security":"open","limitClass":"stream","statuses":[200,400,429,503],"body":null,"streams":true},
  streamLevels: {"method":"get","path":"/v1/market/levels/stream","tag":"market","security":"open","limitClass":"stream","statuses":[200,429,503],"body":null,"streams":true},
  getPriceLock: {"method":"get","path":"/v1/market/price-lock","tag":"market","security":"open","limitClass":"public","statuses":[200,400,429,503],"body":null,"streams":false},
  streamPriceLock: {"method":"get","path":"/v1/market/price-lock/stream","tag":"market","security":"open","limitClass":"stream","statuses":[200,400,429,503],"body":null,"streams":true},
  getMarketHistory: {"method":"get","path":"/v1/market/history","tag":"market","security":"open","limitClass":"public","statuses":[200,304,400,429,503],"body":null,"streams":false},
  getMarketCandles: {"method":"get","path":"/v1/market/ohlc","tag":"market","security":"open","limitClass":"public","statuses":[200,304,400,429,503],"body":null,"streams":false},
  getMarketSummary: {"method":"get","path":"/v1/market/summary","tag":"market","security":"open","limitClass":"public","statuses":[200,304,429,503],"body":null,"streams":false},
  getMarketDepth: {"method":"get","path":"/v1/market/depth","tag":"market","security":"open","limitClass":"public","statuses":[200,304,400,429,503],"body":null,"streams":false},
  getMarketEstimate: {"method":"get","path":"/v1/market/estimate","tag":"market","security":"open","limitClass":"public","statuses":[200,400,429,503],"body":null,"streams":false},
  getMarketLocks: {"method":"get","path":"/v1/market/locks","tag":"market","security":"open","limitClass":"public","statuses":[200,304,400,429,503],"body":null,"streams":false},
  getMarketLedger: {"method":"get","path":"/v1/market/ledger","tag":"market","security":"open","limitClass":"public","statuses":[200,304,400,429,503],"body":null,"streams":false},
  getMarketLedgerHead: {"method":"get","path":"/v1/market/ledger/head","tag":"market","security":"open","limitClass":"public","statuses":[200,304,400,429,503],"body":null,"streams":false},
  getUptime: {"method":"get","path":"/v1/uptime","tag":"statistics","security":"open","limitClass":"public","statuses":[200,400,429,503],"body":null,"streams":false},
  getTokenStatistics: {"method":"get","path":"/v1/stats/tokens","tag":"statistics","security":"open","limitClass":"public","statuses":[200,400,429,503],"body":null,"streams":false},
  getModelStatistics: {"method":"get","path":"/v1/stats/models","tag":"statistics","security":"open","limitClass":"public","statuses":[200,429,503],"body":null,"streams":false},
  getLatencyStatistics: {"method":"get","path":"/v1/stats/latency","tag":"statistics","security":"open","limitClass":"public","statuses":[200,304,400,429,503],"body":null,"streams":false},
  getPartnerCatalog: {"method":"get","path":"/partner/v1/models","tag":"system","security":"open","limitClass":"partner","statuses":[200,304,400,429,503],"body":null,"streams":false},
  getHealth: {"method":"get","path":"/healthz","tag":"system","security":"open","limitClass":"free","statuses":[200,503],"body":null,"streams":false},
  getHello: {"method":"get","path":"/api/hello","tag":"system","security":"open","limitClass":"free","statuses":[200,503],"body":null,"streams":false},
  headHello: {"method":"head","path":"/api/hello","tag":"system","security":"open","limitClass":"free","statuses":[200,503],"body":null,"streams":false},
  getSigningKeys: {"method":"get","path":"/.well-known/jwks.json","tag":"system","security":"open","limitClass":"public","statuses":[200,304,429,503],"body":null,"streams":false},
  getOpenapi: {"method":"get","path":"/openapi.json","tag":"system","security":"open","limitClass":"public","statuses":[200,304,429,503],"body":null,"streams":false},
} as const;

/** The name of an operation. */
export type OperationId = keyof typeof operations;
/** A rate class that requests count against. */
export type LimitClass = (typeof operations)[OperationId]['limitClass'];
